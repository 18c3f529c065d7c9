// Dark, light, or as the system has it.
import { button } from "./dom.js";

const KEY = "labmate-theme", NEXT = { system: "dark", dark: "light", light: "system" };

function kept() {
  try {
    return localStorage.getItem(KEY) ?? "system";
  } catch {
    return "system";
  }
}

/** A button that goes from one theme to the next. */
export function themeButton() {
  let theme = kept() in NEXT ? kept() : "system";
  const made = button("", () => {
    theme = NEXT[theme];
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A browser that keeps nothing shows it until the page is left.
    }
    draw();
  }, { class: "plain" });
  const draw = () => {
    document.documentElement.dataset.theme = theme;
    made.textContent = { system: "Theme: auto", dark: "Theme: dark", light: "Theme: light" }[theme];
  };
  draw();
  return made;
}
