import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Verdict } from '../../src/model/verdict.ts'
import { residentFleet, type ResidentSettings } from '../../src/fleet/resident.ts'
import { serveFleet, type ServeSettings } from '../../src/fleet/web/server/serve.ts'
import { controlResult, policyResult, resourceResult, runOf } from './run.ts'

export interface Reported {
  readonly host: string
  /** How its controls stand, by their names; one that is compliant unless told otherwise. */
  readonly controls?: Readonly<Record<string, Verdict>>
  readonly agoMs?: number
  readonly policy?: string
  readonly sha256?: string
  /** Where it lies below the directory; a file of the host's own where it is absent. */
  readonly path?: string
}

let count = 0

/** Puts a report of a host into a directory, all at once and as old as it says. */
export function storeReport(directory: string, reported: Reported): void {
  const { host, controls = { 'site-01': 'compliant' }, agoMs = 0, policy = 'site', sha256 = 'a'.repeat(64) } = reported
  const startedAt = new Date(Date.now() - agoMs)
  const path = join(directory, reported.path ?? `run-${count}.json`)
  const id = `00000000-0000-4000-8000-${String(count++).padStart(12, '0')}`
  const entries = Object.entries(controls)
  const resources = entries.map(([name, verdict]) =>
    resourceResult({
      name: `/etc/${name}`,
      verdict,
      severity: 'high',
      controls: [name],
      ...(verdict === 'drifted'
        ? { change: 'will', drift: [{ property: 'mode', desired: '0640', observed: '0666' }] }
        : {}),
      ...(verdict === 'error' ? { reason: 'permission-denied', detail: 'cannot read it' } : {}),
    }),
  )
  const run = runOf({
    run: { ...runOf().run, id, startedAt: startedAt.toISOString(), finishedAt: startedAt.toISOString() },
    target: { kind: 'local', hostname: host, os: { id: 'debian', version: '12' } },
    policies: [
      policyResult({
        id: policy,
        sha256,
        resources,
        controls: entries.map(([name, verdict]) =>
          controlResult({
            id: name,
            title: `Title of ${name}`,
            severity: 'high',
            verdict,
            resources: [`file#/etc/${name}`],
          }),
        ),
      }),
    ],
  })
  mkdirSync(dirname(path), { recursive: true })
  const draft = join(dirname(path), `.draft-${count}`)
  writeFileSync(draft, JSON.stringify(run))
  utimesSync(draft, startedAt, startedAt)
  renameSync(draft, path)
}

export interface Viewing extends Partial<Pick<ServeSettings, 'tls' | 'tokens'>> {
  readonly from: string
  readonly rosterFile?: string
  readonly intervalMs?: number
}

/** A view that is shown in this process until the test ends. */
export interface Viewed {
  readonly address: string
  readonly said: readonly string[]
  readonly end: () => Promise<void>
}

const DAY_MS = 86_400_000

/** Serves a directory, or what a server has, on a free port of the loopback interface, and waits until everything is read. */
export async function viewFleet({
  intervalMs = DAY_MS,
  tls,
  tokens,
  ...fleet
}: Omit<Viewing, 'from'> & Pick<ResidentSettings, 'from' | 'rollout'>): Promise<Viewed> {
  const resident = residentFleet({ ...fleet, intervalMs, failOn: 'info' })
  const said: string[] = []
  const stopping = new AbortController()
  const where = { address: '127.0.0.1', port: 0, say: (message: string) => void said.push(message) }
  const secured = { ...(tls === undefined ? {} : { tls }), ...(tokens === undefined ? {} : { tokens }) }
  let ended: Promise<void> = Promise.resolve()
  const address = await new Promise<string>((resolve, reject) => {
    ended = serveFleet(resident, { ...where, ...secured }, { signal: stopping.signal, listening: resolve })
    ended.catch(reject)
  })
  const end = async (): Promise<void> => {
    stopping.abort()
    await ended
  }
  onTestFinished(end)
  while (resident.view() === undefined) await new Promise((resolve) => setTimeout(resolve, 10))
  return { address, said, end }
}
