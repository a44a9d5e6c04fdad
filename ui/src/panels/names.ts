// What names tell.

/** Whether a variable is a constant by its name: all languages at hand write those in capitals. */
export function isConstant(variable: { name: string; changed: boolean }): boolean {
  // The linker's own names begin with two underscores.
  return !variable.changed && /^__|^(?:[\w~/.]*\/)?[A-Z][A-Z0-9_]*$/.test(variable.name);
}
