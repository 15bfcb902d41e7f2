import { readdirSync } from 'node:fs'
import { entryOf, type HistoryEntry } from '../../../src/runs/history/entry.ts'
import { storedName, timeInName } from '../../../src/runs/history/file-name.ts'
import type { Run } from '../../../src/model/run.ts'
import { defined } from '../../../src/model/defined.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'

/** What makes a run of a history different from the next. */
export interface RunFields {
  /** The first characters of its id. */
  readonly id: string
  readonly startedAt?: string
  readonly host?: string
  /** What tells it from others of its name. */
  readonly machine?: string
  /** The policies by their ids, each with what stands for its text; none for a run that could not be performed. */
  readonly policies?: Readonly<Record<string, string>>
  readonly drifted?: number
}

/** A run with as many drifted resources as wanted. */
export function storedRun(fields: RunFields): Run {
  const {
    id,
    startedAt = '2026-11-20T12:00:00.000Z',
    host = 'web01',
    policies = { base: 'a' },
    drifted = 0,
    machine,
  } = fields
  const base = runOf()
  const resources = Array.from({ length: Math.max(1, drifted) }, (_, index) =>
    resourceResult({
      name: `/etc/${index}`,
      ...(index < drifted
        ? { verdict: 'drifted', change: 'will', drift: [{ property: 'mode', desired: '0644', observed: '0600' }] }
        : {}),
    }),
  )
  const results = Object.entries(policies).map(([policy, text], index) =>
    policyResult({ id: policy, sha256: text.padEnd(64, '0'), resources: index === 0 ? resources : [] }),
  )
  const code = results.length === 0 ? 1 : drifted > 0 ? 2 : 0
  return runOf({
    run: { ...base.run, id: id + base.run.id.slice(id.length), startedAt, finishedAt: startedAt },
    target: { ...base.target, hostname: host, ...defined({ machine }) },
    policies: results,
    exit: { code, reasons: [] },
  })
}

/** What the index would say about such a run. */
export function entry(fields: RunFields): HistoryEntry {
  const run = storedRun(fields)
  return entryOf(run, { file: storedName(run), sizeBytes: 900, mtimeMs: 1 })
}

export function filesOf(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => timeInName(name) !== undefined)
    .toSorted()
}
