/**
 * The variables of a dotenv file: `NAME=value` lines, optionally after `export`, with `#` comments. A value in single
 * quotes is taken as it is; in double quotes `\n`, `\"` and `\\` are understood. A line that is none of this is a problem.
 */
export function parseDotenv(
  text: string,
): ReadonlyMap<string, string> | { readonly line: number; readonly message: string } {
  const variables = new Map<string, string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, written] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    const value = written === undefined ? undefined : valueOf(written)
    if (name === undefined || value === undefined) return { line: index + 1, message: 'expected NAME=value' }
    variables.set(name, value)
  }
  return variables
}

function valueOf(written: string): string | undefined {
  const single = /^'([^']*)'(?:\s+#.*)?$/.exec(written)
  if (single !== null) return single[1]
  const double = /^"((?:[^"\\]|\\.)*)"(?:\s+#.*)?$/.exec(written)
  if (double !== null)
    return double[1]?.replaceAll(/\\(.)/g, (_match, letter: string) => (letter === 'n' ? '\n' : letter))
  return /^["']/.test(written) ? undefined : written.replace(/\s+#.*$/, '')
}
