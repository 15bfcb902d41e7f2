// The budget of the history: 10,000 stored runs are listed in less than a second, as long as the index knows them.
import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'

const RUNS = 10_000
const POLICIES = ['base', 'kernel', 'ssh', 'services', 'web']
const HOUR_MS = 3_600_000

export async function run({ driftgate, folder, median, compare }) {
  const history = join(folder, 'history')
  await makeHistory(history)
  const list = driftgate('history', '--history', history)
  const count = `${RUNS.toLocaleString('en')} stored runs`
  const [rebuilt] = await rebuild(list, history)
  const [files, listed, all] = median([['ls', '-l', history], list, [...list, '--limit', String(RUNS)]], { runs: 7 })
  const against = { against: 'ls -l', baseline: files }
  return [
    { ...compare(`history of ${count}`, listed, against), budget: { text: '1000 ms', met: listed < 1_000 } },
    { ...compare(`history of ${count}, all shown`, all, against), budget: { text: '1000 ms', met: all < 1_000 } },
    compare(`history of ${count}, the index lost`, rebuilt, { against: 'with it', baseline: listed }),
  ]
}

async function rebuild([program, ...args], history) {
  await rm(join(history, 'index.ndjson'), { force: true })
  const start = performance.now()
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the history could not be read: ${stderr}`)
  return [performance.now() - start]
}

/** Reports as an hourly audit stores them, small so that making them is quick; a list opens none of them. */
async function makeHistory(history) {
  await mkdir(history, { mode: 0o700 })
  const start = Date.parse('2026-01-01T00:00:00.000Z')
  for (let index = 0; index < RUNS; index++) {
    const id = randomUUID()
    const startedAt = new Date(start + index * HOUR_MS).toISOString()
    const name = `${startedAt.replaceAll(/[-:]/g, '')}-${id.slice(0, 8)}.json.gz`
    await writeFile(join(history, name), gzipSync(JSON.stringify(report(id, startedAt, index % 7))), { mode: 0o600 })
  }
}

function report(id, startedAt, drifted) {
  const none = { fixed: 0, 'fix-failed': 0, error: 0, blocked: 0, 'not-applicable': 0, waived: 0 }
  return {
    schema: 'driftgate.report/v1',
    tool: { name: 'driftgate', version: '0.1.0' },
    run: { id, mode: 'audit', startedAt, finishedAt: startedAt, durationMs: 40, interrupted: false },
    target: { kind: 'local', hostname: 'web01', os: { id: 'debian', version: '12' } },
    policies: POLICIES.map((policy) => ({
      id: policy,
      source: `policies/${policy}.yaml`,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      resources: [],
      controls: [],
    })),
    summary: { total: 40, compliant: 40 - drifted, drifted, ...none },
    exit: { code: drifted === 0 ? 0 : 2, reasons: [] },
  }
}
