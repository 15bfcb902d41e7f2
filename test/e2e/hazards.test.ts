import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { driftgate, type Outcome, ownFile, temporaryDirectory, UNPRIVILEGED } from '../support/driftgate.ts'
import { driftgate as inProcess } from '../support/command-line.ts'

const RISK = 'logins over SSH depend on it'
const NO_UNDO = "the policy sets no 'undo' for the command"

/** A home, with its own state, and a policy with a risky file, a harmless one, and commands with and without a way back. */
function homeWithPolicy(): string {
  const home = temporaryDirectory(UNPRIVILEGED)
  mkdirSync(join(home, '.ssh'))
  if (UNPRIVILEGED !== undefined) chownSync(join(home, '.ssh'), UNPRIVILEGED, UNPRIVILEGED)
  const command = (name: string): Record<string, unknown> => ({
    command: `touch ${home}/${name}`,
    creates: `${home}/${name}`,
  })
  const file = ownFile({ content: 'x' }, UNPRIVILEGED)
  const resources = [
    { file: [{ [`${home}/.ssh/authorized_keys`]: file }, { [`${home}/harmless`]: file }] },
    { exec: [{ 'for good': command('good') }, { 'and back': { ...command('back'), undo: `rm ${home}/back` } }] },
  ]
  writeFileSync(join(home, 'policy.yaml'), JSON.stringify({ ccm: { resources } }))
  return home
}

function run(home: string, ...args: readonly string[]): Promise<Outcome> {
  const user = UNPRIVILEGED === undefined ? {} : { uid: UNPRIVILEGED }
  return driftgate(args, { cwd: home, ...user, env: { TMPDIR: home } })
}

interface Hazardous {
  readonly risk?: string
  readonly irreversible?: string
  readonly verdict: string
  readonly change?: string
  readonly message?: string
}

function resultsOf(home: string, file: string): readonly Hazardous[] {
  const json = JSON.parse(readFileSync(join(home, file), 'utf8'))
  return (json.audit ?? json).policies[0].resources
}

it('irreversible and risky changes are shown before a fix, in audit, plan and report', async () => {
  const home = homeWithPolicy()
  const audit = await run(home, 'scan', 'policy.yaml', '--report', 'text', '--report', 'json=audit.json')
  expect(audit.stdout.match(/^ +risky: +.*$/gm)?.map((line) => line.trim())).toEqual([`risky:  ${RISK}`])
  expect(audit.stdout.match(/^ +cannot be undone: .*$/gm)?.map((line) => line.trim())).toEqual([
    `cannot be undone: ${NO_UNDO}`,
  ])
  await inProcess(['scan', 'policy.yaml', '--save-plan', 'plan.json'], { cwd: home })
  for (const file of ['audit.json', 'plan.json']) {
    expect(resultsOf(home, file).map(({ risk, irreversible }) => ({ risk, irreversible }))).toEqual([
      { risk: RISK },
      {},
      { irreversible: NO_UNDO },
      {},
    ])
  }
  const shown = (await inProcess(['show', 'plan.json', '--report', 'markdown'], { cwd: home })).stdout
  expect(shown).toContain('4 changes, 1 risky, 1 irreversible')
  expect(shown).toContain(`risky: ${RISK}`)
  expect(shown).toContain(`cannot be undone: ${NO_UNDO}`)
})

it('a fix says it, too, and undo says the same of what it leaves', async () => {
  const home = homeWithPolicy()
  expect(await run(home, 'scan', 'policy.yaml', '--fix', '--report', 'json=fix.json')).toMatchObject({ code: 0 })
  expect(resultsOf(home, 'fix.json').map(({ risk, irreversible }) => risk ?? irreversible)).toEqual([
    RISK,
    undefined,
    NO_UNDO,
    undefined,
  ])
  const undone = await run(home, 'undo')
  expect(undone.code).toBe(4)
  expect(undone.stdout).toContain(NO_UNDO)
  expect(['good', 'back'].map((name) => existsSync(join(home, name)))).toEqual([true, false])
})

it('--confirm-risky refuses risky changes without --confirm-within, and applies the rest', async () => {
  const home = homeWithPolicy()
  const names = ['.ssh/authorized_keys', 'harmless', 'good', 'back']
  const there = (): readonly string[] => names.filter((name) => existsSync(join(home, name)))
  const audited = await run(home, 'scan', 'policy.yaml', '--confirm-risky')
  expect(audited).toMatchObject({ code: 2, stderr: '' })
  const refused = await run(home, 'scan', 'policy.yaml', '--fix', '--confirm-risky', '--report', 'json=fix.json')
  expect(refused.code).toBe(4)
  expect(resultsOf(home, 'fix.json')[0]).toMatchObject({
    verdict: 'fix-failed',
    change: 'cannot',
    message: `risky: ${RISK}; needs --confirm-within`,
  })
  expect(there()).toEqual(['harmless', 'good', 'back'])
  const fixed = await run(home, 'scan', 'policy.yaml', '--fix', '--confirm-risky', '--confirm-within', '1h')
  expect(fixed.code).toBe(0)
  expect(there()).toEqual(names)
  expect(await run(home, 'confirm')).toMatchObject({ code: 0 })
})

it('parameters of the network say that connections depend on them', async () => {
  const home = temporaryDirectory(UNPRIVILEGED)
  // No machine has this value, and an audit changes nothing.
  const sysctl = { name: 'net.ipv4.ip_default_ttl', value: '7' }
  writeFileSync(join(home, 'policy.yaml'), JSON.stringify({ ccm: { resources: [{ sysctl }] } }))
  await run(home, 'scan', 'policy.yaml', '--report', 'json=audit.json')
  expect(resultsOf(home, 'audit.json')).toMatchObject([{ verdict: 'drifted', risk: 'connections depend on it' }])
})
