import { relative } from 'node:path'
import process from 'node:process'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** A cause for which tests may be skipped even where everything is installed that they need, and why that is right. */
export interface AllowedSkip {
  readonly cause: string
  readonly because: string
}

interface Skip {
  readonly file: string
  readonly name: string
  readonly cause: string
}

const WITHOUT_CAUSE = 'without a cause'

/**
 * Ends a run with one table of the causes for which tests were skipped. Where `allowed` is given, everything that tests need
 * is there: any other skip fails the run.
 */
export class SkipReporter implements Reporter {
  readonly #allowed: readonly AllowedSkip[] | undefined

  constructor(allowed?: readonly AllowedSkip[]) {
    this.#allowed = allowed
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const skips = tests.flatMap(skipOf)
    if (skips.length > 0) console.log(`${tableOf(skips)}\n`)
    const unexpected = this.#allowed === undefined ? [] : skips.filter((skip) => !isAllowed(skip, this.#allowed ?? []))
    if (unexpected.length === 0) return
    console.log(`skipped although everything is here that tests need:\n${unexpected.map(describeSkip).join('\n')}\n`)
    process.exitCode = 1
  }
}

function skipOf(test: TestCase): readonly Skip[] {
  const result = test.result()
  // What a pattern of names leaves out has not been skipped by the test.
  if (result.state !== 'skipped' || test.project.config.testNamePattern !== undefined) return []
  const cause = test.meta().skipped ?? result.note ?? WITHOUT_CAUSE
  return [{ file: relative(process.cwd(), test.module.moduleId), name: test.fullName, cause }]
}

/** The most frequent cause first. */
function tableOf(skips: readonly Skip[]): string {
  const counts = new Map<string, number>()
  for (const { cause } of skips) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  const rows = [...counts].sort(([, one], [, other]) => other - one)
  const described = rows.map(([cause, count]) => `${count} ${cause.replace(/^needs /, 'need ')}`)
  return `skipped: ${described.join(', ')} (npm run test:all installs and runs them)`
}

function isAllowed({ cause }: Skip, allowed: readonly AllowedSkip[]): boolean {
  return allowed.some((entry) => entry.cause === cause)
}

function describeSkip({ file, name, cause }: Skip): string {
  return `  ${file} > ${name}: ${cause}`
}
