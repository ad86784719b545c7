"use strict";
const slider = document.getElementById("threshold");
if (slider) {
  const steps = Array.from(document.querySelectorAll("[data-step]"));
  const thresholds = steps.map((step) => Number(step.dataset.threshold));
  const shown = slider.parentElement.querySelector("output");
  const handles = Array.from(document.querySelectorAll(".handle"), (mark) => {
    const [low, high, left, right] = ["low", "high", "left", "right"].map((name) => Number(mark.dataset[name]));
    const [line, grip] = mark.children;
    return {
      chart: mark.ownerSVGElement,
      move: (threshold) => {
        const place = String(left + ((right - left) * (threshold - low)) / (high - low));
        line.setAttribute("x1", place);
        line.setAttribute("x2", place);
        grip.setAttribute("cx", place);
      },
      threshold: (place) => low + ((high - low) * (place - left)) / (right - left),
    };
  });
  const show = () => {
    steps.forEach((step, place) => { step.hidden = place !== Number(slider.value); });
    shown.textContent = steps[slider.value].dataset.step;
    slider.setAttribute("aria-valuetext", shown.textContent);
    handles.forEach((one) => one.move(thresholds[slider.value]));
  };
  const nearest = (wanted) => thresholds.reduce(
    (best, one, place) => (Math.abs(one - wanted) < Math.abs(thresholds[best] - wanted) ? place : best), 0);
  handles.forEach(({ chart, threshold }) => {
    const follow = (event) => {
      const box = chart.getBoundingClientRect();
      slider.value = nearest(threshold(((event.clientX - box.left) * chart.viewBox.baseVal.width) / box.width));
      show();
    };
    chart.classList.add("grabbed");
    chart.addEventListener("pointerdown", (event) => { chart.setPointerCapture(event.pointerId); follow(event); });
    chart.addEventListener("pointermove", (event) => { if (event.buttons) follow(event); });
  });
  slider.parentElement.hidden = false;
  slider.addEventListener("input", show);
  show();
}
