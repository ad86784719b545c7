"use strict";
const slider = document.getElementById("threshold");
if (slider) {
  const steps = Array.from(document.querySelectorAll("[data-step]"));
  const shown = document.querySelector("output");
  const show = () => {
    steps.forEach((step, place) => { step.hidden = place !== Number(slider.value); });
    shown.textContent = steps[slider.value].dataset.step;
    slider.setAttribute("aria-valuetext", shown.textContent);
  };
  slider.parentElement.hidden = false;
  slider.addEventListener("input", show);
  show();
}
