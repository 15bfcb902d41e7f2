import { known, type Reading } from '../../../model/observation.ts'
import type { Assignment } from '../../../settings/assignment.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'

interface ModuleLine {
  readonly file: string
  readonly line: number
  readonly values: ReadonlyMap<string, string>
}

/**
 * What the arguments of a PAM module say of its keys, which wins over its file. A key that each of its lines names counts for
 * everybody, one that only some name counts for the services of that file.
 */
export function pamArguments(
  files: ConfigFiles,
  module: string,
  type: 'auth' | 'password',
): Reading<readonly Assignment[]> {
  const names = files.names('/etc/pam.d')
  if (names.kind === 'unknown') return names
  const lines: ModuleLine[] = []
  for (const name of names.value ?? []) {
    const file = `/etc/pam.d/${name}`
    const text = files.text(file)
    if (text.kind === 'unknown') return text
    lines.push(...moduleLines(text.value ?? '', { file, module, type }))
  }
  const keys = new Set(lines.flatMap(({ values }) => [...values.keys()]))
  return known([...keys].flatMap((key) => assignmentsOf(key, lines)))
}

function assignmentsOf(key: string, lines: readonly ModuleLine[]): readonly Assignment[] {
  const naming = lines.filter(({ values }) => values.has(key))
  const isEverywhere = naming.length === lines.length
  const [first] = naming
  return naming.flatMap(({ file, line, values }): Assignment[] => {
    const assignment = { section: '', key, value: values.get(key) ?? '', file, line }
    if (!isEverywhere) return [{ ...assignment, scope: file }]
    if (line === first?.line && file === first.file) return [assignment]
    return assignment.value === first?.values.get(key) ? [] : [{ ...assignment, scope: file }]
  })
}

/** @see pam.conf(5): a backslash continues a line, brackets keep spaces together. */
function moduleLines(
  text: string,
  { file, module, type }: { readonly file: string; readonly module: string; readonly type: string },
): readonly ModuleLine[] {
  const found: ModuleLine[] = []
  const written = text.split('\n')
  for (let index = 0; index < written.length; index += 1) {
    const line = index + 1
    let logical = written[index] ?? ''
    while (logical.endsWith('\\') && index + 1 < written.length) {
      index += 1
      logical = `${logical.slice(0, -1)} ${written[index] ?? ''}`
    }
    const [first = '', ...rest] = logical.replace(/#.*/, '').match(/\[(?:\\\]|[^\]])*\]|[^\s[]+/g) ?? []
    const at = rest.findIndex((word) => word === module || word.endsWith(`/${module}`))
    if (at < 0 || first.replace(/^-/, '').toLowerCase() !== type) continue
    const pairs = rest.slice(at + 1).map((word) => word.replace(/^\[|\]$/g, '').split(/=(.*)/s))
    found.push({ file, line, values: new Map(pairs.map(([key = '', value = '']) => [key, value])) })
  }
  return found
}
