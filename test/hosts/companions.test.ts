// What systemd stops, starts and enables with a unit: announced by an audit, counted, and restored by an undo.
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

const TIMEOUT_MS = 300_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

const SLEEPER = '[Service]\nExecStart=/bin/sleep infinity\n'
const WANTED = '[Install]\nWantedBy=multi-user.target\n'
const UNITS: Readonly<Record<string, string>> = {
  'base.service': `${SLEEPER}${WANTED}`,
  'requires.service': `[Unit]\nRequires=base.service\nAfter=base.service\n${SLEEPER}`,
  'binds.service': `[Unit]\nBindsTo=base.service\nAfter=base.service\n${SLEEPER}`,
  'part.service': `[Unit]\nPartOf=base.service\n${SLEEPER}`,
  // It stops with one that stops with another.
  'far.service': `[Unit]\nRequires=requires.service\nAfter=requires.service\n${SLEEPER}`,
  'wants.service': `[Unit]\nWants=base.service\n${SLEEPER}`,
  'stopped.service': `[Unit]\nRequires=base.service\n${SLEEPER}`,
  'rival.service': `[Unit]\nConflicts=base.service\n${SLEEPER}`,
  'helper.service': `${SLEEPER}${WANTED}`,
  'leader.service': `[Unit]\nRequires=helper.service\nAfter=helper.service\n${SLEEPER}${WANTED}Also=helper.service\n`,
}
const NAMES = Object.keys(UNITS).map((name) => name.replace('.service', ''))

/** What a run says of units that its policy does not name. */
function alongside({ policies }: Run): readonly string[] {
  const effects = policies.flatMap(({ resources }) => resources.flatMap(({ effect = [] }) => effect))
  return effects.flatMap(({ kind, object, alongside: is }) => (is === true ? [`${kind} ${object}`] : [])).toSorted()
}

describe.skipIf(unavailable)(`a host of Debian (${unavailable ?? 'booted for the test'})`, () => {
  let host: DebianHost

  const states = async (): Promise<Readonly<Record<string, string>>> => {
    const script = NAMES.map((name) => `echo ${name} $(systemctl is-active ${name}) $(systemctl is-enabled ${name})`)
    const lines = (await host.shell(script.join('\n'))).trim().split('\n')
    return Object.fromEntries(lines.map((line) => [line.split(' ')[0] ?? '', line.split(' ').slice(1).join(' ')]))
  }

  const scan = async (...words: readonly string[]): Promise<Run> => {
    const { stdout } = await host.run(['driftgate', 'scan', '/root/site.yaml', '--report', 'json', ...words])
    return JSON.parse(stdout) as Run
  }

  test.each([
    {
      what: 'a stop',
      before: 'systemctl start base requires binds part far wants',
      wanted: 'base: { ensure: stopped }',
      effects: ['stop binds.service', 'stop far.service', 'stop part.service', 'stop requires.service'],
    },
    {
      what: 'a start against another',
      before: 'systemctl start base requires',
      wanted: 'rival: { ensure: running }',
      effects: ['stop base.service', 'stop requires.service'],
    },
    {
      what: 'a start with what is needed, and its enablement',
      before: 'true',
      wanted: 'leader: { ensure: running, enable: true }',
      effects: ['enable helper.service', 'start helper.service'],
    },
    {
      what: 'a stop that nothing depends on',
      before: 'systemctl start wants',
      wanted: 'wants: { ensure: stopped }',
      effects: [],
    },
  ])(
    '$what: the audit says what changes, the fix changes that, and an undo restores it',
    async ({ before, wanted, effects }) => {
      host = await bootForTest(rootFilesystem)
      for (const [name, text] of Object.entries(UNITS)) await host.write(`/etc/systemd/system/${name}`, text)
      await host.shell(`systemctl daemon-reload; ${before}`)
      await host.write('/root/site.yaml', `ccm: { resources: [{ service: [{ ${wanted} }] }] }\n`)
      const then = await states()
      expect(alongside(await scan())).toEqual(effects)
      if (effects.length > 0) {
        const limited = await host.run(['driftgate', 'scan', '/root/site.yaml', '--fix', '--max-changes', '1'])
        expect(limited.code).toBe(4)
        expect(await states()).toEqual(then)
      }
      const fixed = await scan('--fix')
      expect(alongside(fixed)).toEqual(effects)
      const undone = await host.run(['driftgate', 'undo', fixed.run.id])
      expect(undone, undone.stdout + undone.stderr).toMatchObject({ code: 0 })
      expect(await states()).toEqual(then)
    },
    TIMEOUT_MS,
  )
})
