"use strict";
document.querySelectorAll("input[data-of]").forEach((field) => {
  const all = Array.from(document.querySelectorAll(field.dataset.of));
  const texts = all.map((one) => one.textContent.toLocaleLowerCase());
  const folds = new Set(all.map((one) => one.closest("details")).filter(Boolean));
  const found = field.closest(".filter").querySelector("output");
  field.addEventListener("input", () => {
    const wanted = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    all.forEach((one, place) => {
      const isPinned = one.classList.contains("pinned");
      one.hidden = !isPinned && !wanted.every((word) => texts[place].includes(word));
      shown += one.hidden ? 0 : 1;
    });
    folds.forEach((fold) => { fold.open = wanted.length > 0; });
    found.textContent = wanted.length ? `${shown.toLocaleString("en")} of ${all.length.toLocaleString("en")}` : "";
  });
  field.closest(".filter").hidden = false;
});
