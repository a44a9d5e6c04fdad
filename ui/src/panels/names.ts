// What names tell.

/** Whether a variable is a constant by its name: all languages at hand write those in capitals. */
export function isConstant(variable: { name: string; changed: boolean }): boolean {
  return !variable.changed && /^(?:[\w~/.]*\/)?[A-Z][A-Z0-9_]+$/.test(variable.name);
}
