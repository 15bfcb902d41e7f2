import { known, type Reading } from '../../../model/observation.ts'
import { ANY_KEY, type Assignment } from '../../../settings/assignment.ts'
import type { ConfigFiles, Effective } from '../../../settings/surface.ts'
import { isServiceName, openPamTexts, SERVICE_DIRECTORIES } from '../stack/files.ts'
import { expandPam, originOf, type PamEntry, type PamType } from '../stack/stack.ts'

/** The lines that call a module in the stacks of services, without duplicates from shared stacks. */
export function readPamLines(files: ConfigFiles, module: string, type: PamType): Reading<readonly PamEntry[]> {
  const services = readServices(files)
  if (services.kind === 'unknown') return services
  const pamFiles = openPamTexts(files)
  const lines = new Map<string, PamEntry>()
  for (const name of services.value) {
    const stack = expandPam(pamFiles, name, type)
    if (stack.kind === 'unknown') return stack
    const own = stack.value?.entries.filter((entry) => entry.kind === 'module' && entry.name === module) ?? []
    for (const entry of own) lines.set(originOf(entry), entry)
  }
  return known([...lines.values()])
}

function readServices(files: ConfigFiles): Reading<ReadonlySet<string>> {
  const services = new Set<string>()
  for (const directory of SERVICE_DIRECTORIES) {
    const names = files.names(directory)
    if (names.kind === 'unknown') return names
    for (const name of names.value ?? []) if (isServiceName(name)) services.add(name)
  }
  return known(services)
}

/** The section of the assignment that tells that no service runs the module. */
const UNUSED = 'unused'

/** Marks a module that no service runs: its defaults have no effect. */
export function markUnused(lines: readonly PamEntry[], module: string): readonly Assignment[] {
  if (lines.length > 0) return []
  return [{ section: UNUSED, key: ANY_KEY, value: `no service runs ${module}`, file: '/etc/pam.d', line: 0 }]
}

/** The effective values; without a service that runs the module, only a written one counts. `resolve` finds them. */
export function resolveModule(
  assignments: readonly Assignment[],
  resolve: (written: readonly Assignment[]) => readonly [Effective, ...Effective[]],
): readonly [Effective, ...Effective[]] {
  const [mark] = assignments.filter(({ section }) => section === UNUSED)
  const [forAll, ...scoped] = resolve(assignments.filter((each) => each !== mark))
  return [{ ...forAll, unused: mark?.value }, ...scoped]
}

/** The file that the line sets instead of the default file; the last argument wins. */
export function namedFile(line: PamEntry): string | undefined {
  return argumentOf(line, 'conf')
}

/** The value of an argument; the last one wins. */
export function argumentOf({ arguments: given }: PamEntry, name: string): string | undefined {
  return given.findLast((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
}

/**
 * The settings from the arguments of these lines, which override the file of the module. An argument on every line applies
 * to all lines; an argument on some lines only applies to the services of that file.
 */
export function assignmentsOfLines(lines: readonly PamEntry[], scope?: string): readonly Assignment[] {
  const given = lines.map(({ file, line, arguments: words }) => ({
    file,
    line,
    values: new Map(words.map((word) => word.split(/=(.*)/s)).map(([key = '', value = '']) => [key, value])),
  }))
  const keys = new Set(given.flatMap(({ values }) => [...values.keys()]))
  return [...keys].flatMap((key) => {
    const naming = given.filter(({ values }) => values.has(key))
    const [first] = naming
    return naming.flatMap(({ file, line, values }): Assignment[] => {
      const assignment = { section: '', key, value: values.get(key) ?? '', file, line }
      if (naming.length < given.length) {
        const isSame = naming.every((each) => each.file !== file || each.values.get(key) === assignment.value)
        return [{ ...assignment, scope: isSame ? file : `${file}:${line}` }]
      }
      if (line === first?.line && file === first.file)
        return [{ ...assignment, ...(scope === undefined ? {} : { scope }) }]
      return assignment.value === first?.values.get(key) ? [] : [{ ...assignment, scope: file }]
    })
  })
}
