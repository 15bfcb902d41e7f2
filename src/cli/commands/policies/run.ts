import { padColumns, widestOf } from '../../../model/columns.ts'
import { countOf } from '../../../model/count-of.ts'
import { defined } from '../../../model/defined.ts'
import { EXIT } from '../../../model/gate.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { listShipped, shippedPath } from '../../../policy/fetch/shipped.ts'
import { loadPolicy } from '../../../policy/load.ts'
import { reportProblems } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { PoliciesInvocation } from './options.ts'

/** Lists the policies that ship and returns the exit code. */
export async function runPolicies({ options }: PoliciesInvocation, io: Io): Promise<number> {
  const names = await listShipped()
  const loaded = 'message' in names ? { ok: false as const, problems: [names] } : await loadPolicy(names)
  if (!loaded.ok) {
    await reportProblems(loaded.problems, io)
    return EXIT.notPerformed
  }
  const shipped = loaded.value.map(({ source: file, title, version, controls, resources }) => ({
    name: file,
    ...defined({ title, version }),
    controls: controls.length,
    resources: resources.length,
    ...defined({ path: shippedPath(file) }),
  }))
  if (options.json) {
    await io.print(`${toSafeJson(shipped, 2)}\n`)
    return EXIT.ok
  }
  const paint = await io.paintOutput()
  const width = widestOf(shipped.map(({ name }) => name))
  const lines = shipped.map(({ name, title = '', controls }) => {
    return `${paint('strong', padColumns(name, width))}  ${title} (${countOf(controls, 'control')})\n`
  })
  await io.print(lines.join(''))
  return EXIT.ok
}
