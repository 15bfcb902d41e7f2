import { padColumns, widestOf } from '../../../model/columns.ts'
import { countOf } from '../../../model/count-of.ts'
import { defined } from '../../../model/defined.ts'
import { EXIT } from '../../../model/gate.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { composedText } from '../../../policy/catalogue/composed-text.ts'
import { listCoverages, readCoverage } from '../../../policy/catalogue/coverage.ts'
import { localSource } from '../../../policy/fetch/files.ts'
import { listShipped, shippedPath, withShipped } from '../../../policy/fetch/shipped.ts'
import { loadPolicy } from '../../../policy/load.ts'
import { reportProblems, usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { PoliciesInvocation } from './index.ts'

/** Lists the shipped policies, or shows one, and returns the exit code. */
export async function runPolicies({ operands: [word, policy], options }: PoliciesInvocation, io: Io): Promise<number> {
  if (word !== undefined && (word !== 'show' || policy === undefined)) {
    throw usageError('"driftgate policies" lists policies, "driftgate policies show POLICY" shows one', 'policies')
  }
  if (options.coverage) return showCoverage(policy, options.json, io)
  if (policy !== undefined) return showPolicy(policy, io)
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

async function showCoverage(policy: string | undefined, json: boolean | undefined, io: Io): Promise<number> {
  const names = await listCoverages()
  if (policy === undefined || !names.includes(policy)) {
    throw usageError(`--coverage needs "show" and one of ${names.join(', ')}`, 'policies')
  }
  const { numbers, uncovered } = await readCoverage(policy)
  const recommendations = numbers.length
  const controls = recommendations - uncovered.length
  if (json === true) {
    await io.print(`${toSafeJson({ name: policy, recommendations, controls, uncovered }, 2)}\n`)
    return EXIT.ok
  }
  const width = widestOf(uncovered.map(({ number }) => number))
  const whyWidth = widestOf(uncovered.map(({ why }) => why))
  const lines = uncovered.map(({ number, why, reason }) => {
    return `${padColumns(number, width)}  ${padColumns(why, whyWidth)}  ${reason}\n`
  })
  await io.print(`${countOf(recommendations, 'recommendation')}, ${controls} with a control\n${lines.join('')}`)
  return EXIT.ok
}

async function showPolicy(policy: string, io: Io): Promise<number> {
  const read = await withShipped(localSource).read(policy)
  const composed = 'message' in read ? { ok: false as const, problems: [read] } : await composedText(read)
  if (!composed.ok) {
    await reportProblems(composed.problems, io)
    return EXIT.notPerformed
  }
  await io.print(composed.value)
  return EXIT.ok
}
