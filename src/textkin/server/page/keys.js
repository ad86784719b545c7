// One set of keys for all views: a letter means the same wherever it is pressed.

import { element } from "./common.js";

const WORDS = {
  "/": "go to the text field",
  y: "yes, the same: all of a group but the first go",
  n: "no, not the same: the ticked texts of a group stay, or all",
  u: "unsure",
  z: "take the last answer back",
  j: "next group",
  k: "previous group",
  m: "merge: here, and then on another group",
  d: "settle disagreements",
  Escape: "don't merge",
  "?": "show the keys",
};
const views = new Map(); // from the id of a view to its keys
const dialog = document.getElementById("keys");

// People who speak to their browser, or whose hands slip, turn single keys off.
const OFF = "textkin keys off";
const isOn = document.getElementById("keys-on");
try { isOn.checked = localStorage.getItem(OFF) === null; } catch { /* on until the page is closed */ }
isOn.addEventListener("change", () => {
  try {
    if (isOn.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "");
  } catch { /* not kept */ }
});

// Gives a view its keys, each with what it does; a key that has nothing to do returns false.
export function keysOf(view, actions) {
  views.set(view, actions);
}

const isTyping = (target) => target.closest("select, textarea, input:not([type=checkbox], [type=radio])");
const shownView = () => document.querySelector("#view section:not([hidden])")?.id;

export function explain() {
  const known = ["/", ...Object.keys(views.get(shownView()) ?? {}), "?"];
  const rows = Object.keys(WORDS).filter((key) => known.includes(key)).map((key) => element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, key)), element("td", {}, WORDS[key])));
  dialog.querySelector("tbody").replaceChildren(...rows);
  dialog.showModal();
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || dialog.open || !isOn.checked || isTyping(event.target)) return;
  if (event.key === "?") {
    explain();
    return;
  }
  if (event.key === "/") {
    const field = document.querySelector("#view section:not([hidden]) :is(input[type=search], textarea, input[required])");
    if (field === null) return;
    field.focus();
    event.preventDefault();
    return;
  }
  const action = views.get(shownView())?.[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action && action(event) !== false) event.preventDefault();
});
document.getElementById("keys-open").addEventListener("click", explain);
