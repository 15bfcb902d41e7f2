import { mkdirSync, readlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { needsSystemctl } from '../../../support/systemctl.ts'
import type { SystemdPlace } from '../../../../src/host/systemd/place.ts'
import { createServiceControl } from '../../../../src/subjects/services/systemd/service-control.ts'
import { parseTriggers } from '../../../../src/subjects/services/systemd/starters.ts'
import { openServices } from '../../../../src/subjects/services/systemd/service-manager.ts'
import { link, makeRoot, MASK, systemctlState, unit } from './unit-tree.ts'

const ETC = '/etc/systemd/system'
const RUN = '/run/systemd/system'
const LIB = '/usr/lib/systemd/system'
const { signal } = new AbortController()

/** A machine on which systemd does not run, even if directories of it exist. */
function stopped(place: SystemdPlace): SystemdPlace {
  return { ...place, runtimeMarker: '/run/systemd/no-such-marker' }
}

test.skipIf(needsSystemctl)('without a running systemd, the runtime state is not observable', async () => {
  const place = stopped(makeRoot({ [`${LIB}/a.service`]: unit() }))
  expect(await openServices(place).status('a.service', signal)).toMatchObject({
    kind: 'present',
    state: {
      unit: 'a.service',
      runtime: { kind: 'unknown', reason: 'not-observable' },
      enablement: { kind: 'known', value: { state: 'disabled', isInstallable: true } },
    },
  })
})

test.skipIf(needsSystemctl)('a unit without any file is absent, and its file could be at each place', async () => {
  const found = await openServices(stopped(makeRoot({}))).status('t@x.service', signal)
  expect(found).toMatchObject({ kind: 'absent', context: { unit: 't@x.service' } })
  const paths = found.kind === 'absent' ? found.context.unitFiles : []
  for (const directory of [ETC, RUN, LIB, '/lib/systemd/system', '/usr/local/lib/systemd/system']) {
    expect(paths).toContain(`${directory}/t@x.service`)
    expect(paths).toContain(`${directory}/t@.service`)
  }
  expect(paths.filter((path) => path.includes('generator'))).toEqual([])
})

test.skipIf(needsSystemctl)('an alias is looked at as the unit it stands for', async () => {
  const place = stopped(
    makeRoot({
      [`${LIB}/a.service`]: unit(),
      [`${LIB}/b.service`]: link('a.service'),
      [`${ETC}/multi-user.target.wants/a.service`]: link(`${LIB}/a.service`),
    }),
  )
  expect(await openServices(place).status('b.service', signal)).toMatchObject({
    state: { unit: 'a.service', enablement: { value: { state: 'enabled' } } },
  })
})

test.skipIf(needsSystemctl)('a forgotten state is read again', async () => {
  const place = stopped(makeRoot({ [`${LIB}/a.service`]: unit() }))
  const services = openServices(place)
  const state = async (): Promise<unknown> => {
    const found = await services.status('a.service', signal)
    return found.kind === 'present' && found.state.enablement.kind === 'known'
      ? found.state.enablement.value.state
      : found.kind
  }
  expect(await state()).toBe('disabled')
  expect(await createServiceControl(place).change('a.service', ['enable'], signal)).toEqual({ kind: 'done' })
  expect(await state()).toBe('disabled')
  services.forget()
  expect(await state()).toBe('enabled')
})

test.skipIf(needsSystemctl)('a unit is enabled and disabled without a running systemd', async () => {
  const place = stopped(makeRoot({ [`${LIB}/a.service`]: unit('WantedBy=x.target\nAlias=b.service') }))
  const control = createServiceControl(place)
  expect(await control.change('a.service', ['enable'], signal)).toEqual({ kind: 'done' })
  expect(systemctlState(place, 'a.service')).toBe('enabled')
  expect(readlinkSync(`${place.root}${ETC}/b.service`)).toMatch(/a\.service$/)
  expect(await control.change('a.service', ['disable'], signal)).toEqual({ kind: 'done' })
  expect(systemctlState(place, 'a.service')).toBe('disabled')
})

test.skipIf(needsSystemctl)('a unit enabled at runtime is disabled, too', async () => {
  const place = stopped(
    makeRoot({
      [`${LIB}/a.service`]: unit(),
      [`${RUN}/multi-user.target.wants/a.service`]: link(`${LIB}/a.service`),
      [`${ETC}/x.target.wants/a.service`]: link(`${LIB}/a.service`),
    }),
  )
  expect(await createServiceControl(place).change('a.service', ['disable'], signal)).toEqual({ kind: 'done' })
  expect(systemctlState(place, 'a.service')).toBe('disabled')
})

test.skipIf(needsSystemctl)('a step that fails says why, and the others are taken all the same', async () => {
  const place = stopped(makeRoot({ [`${LIB}/no-such-unit-of-driftgate.service`]: unit() }))
  const control = createServiceControl(place)
  const outcome = await control.change('no-such-unit-of-driftgate.service', ['start', 'enable'], signal)
  expect(outcome).toMatchObject({ kind: 'failed', output: '' })
  const message = outcome.kind === 'failed' ? outcome.message : ''
  expect(message).toMatch(/^systemctl start no-such-unit-of-driftgate\.service: [^;]+$/)
  expect(systemctlState(place, 'no-such-unit-of-driftgate.service')).toBe('enabled')
})

test.skipIf(needsSystemctl)('a refusal of systemctl is reported in its words', async () => {
  const place = stopped(makeRoot({ [`${ETC}/a.service`]: MASK }))
  const outcome = await createServiceControl(place).change('a.service', ['enable'], signal)
  expect(outcome.kind === 'failed' ? outcome.message : '').toMatch(/^systemctl enable a\.service: .*masked/)
})

test.skipIf(needsSystemctl)('a marker that is there means that systemd is asked', async () => {
  const place = makeRoot({ [`${LIB}/no-such-unit-of-driftgate.service`]: unit() })
  mkdirSync(`${place.root}${RUN}`, { recursive: true })
  const found = await openServices(place).status('no-such-unit-of-driftgate.service', signal)
  // Without a running systemd the question stays without an answer, and the answer of one is that it knows no such unit.
  expect(found).toMatchObject({ kind: 'present', state: { enablement: { value: { state: 'disabled' } } } })
})

test.skipIf(needsSystemctl)('a unit is masked and unmasked, also one that is masked for the time being', async () => {
  const place = stopped(
    makeRoot({ [`${LIB}/a.service`]: unit(), [`${RUN}/b.service`]: MASK, [`${LIB}/b.service`]: unit() }),
  )
  const control = createServiceControl(place)
  expect(await control.change('a.service', ['mask'], signal)).toEqual({ kind: 'done' })
  expect(systemctlState(place, 'a.service')).toBe('masked')
  expect(await control.change('a.service', ['unmask'], signal)).toEqual({ kind: 'done' })
  expect(systemctlState(place, 'a.service')).toBe('disabled')
  expect(await control.change('b.service', ['unmask'], signal)).toEqual({ kind: 'done' })
  expect(systemctlState(place, 'b.service')).toBe('disabled')
})

test.skipIf(needsSystemctl)(
  'without a running systemd, an enabled unit with the name of a service starts it',
  async () => {
    const place = stopped(
      makeRoot({
        [`${LIB}/a.service`]: unit(),
        [`${LIB}/a.socket`]: unit('WantedBy=sockets.target'),
        [`${LIB}/a.timer`]: unit('WantedBy=timers.target'),
        [`${ETC}/sockets.target.wants/a.socket`]: link(`${LIB}/a.socket`),
        // Whichever target it is enabled for.
        [`${LIB}/a.path`]: unit('WantedBy=rescue.target'),
        [`${ETC}/rescue.target.wants/a.path`]: link(`${LIB}/a.path`),
      }),
    )
    const services = openServices(place)
    const found = ['a.socket', 'a.path'].map((name) => ({ name, kind: 'unit', isActive: false, isEnabled: true }))
    expect(await services.starters('a.service', signal)).toEqual({ kind: 'known', value: found })
    expect(await services.starters('a@b.service', signal)).toEqual({ kind: 'known', value: [] })
    expect(await services.starters('a.socket', signal)).toEqual({ kind: 'known', value: [] })
  },
)

test('the output of systemctl about triggers is parsed, by each name of a unit', () => {
  const output =
    'Names=a.service b.service\nTriggeredBy=a.socket c.timer\nBusName=org.example.A\n\nNames=d.service\nTriggeredBy=\n'
  const triggers = { units: ['a.socket', 'c.timer'], busName: 'org.example.A' }
  expect([...parseTriggers(output)]).toEqual([
    ['a.service', triggers],
    ['b.service', triggers],
    ['d.service', { units: [], busName: '' }],
  ])
})

test('below a root, units of the default target start their dependencies', async () => {
  const place = stopped(
    makeRoot({
      [`${LIB}/site.target`]: { content: '[Unit]\nRequires=front.service\n' },
      [`${ETC}/default.target`]: link(`${LIB}/site.target`),
      [`${LIB}/front.service`]: { content: '[Unit]\nWants=a.service\n[Service]\n' },
      [`${LIB}/a.service`]: unit('WantedBy=site.target'),
      [`${LIB}/graphical.target`]: { content: '[Unit]\nWants=b.service\n' },
      [`${LIB}/b.service`]: unit('WantedBy=site.target'),
      [`${ETC}/timers.target`]: MASK,
      [`${ETC}/timers.target.wants/c.timer`]: link(`${LIB}/c.timer`),
      [`${LIB}/c.timer`]: { content: '[Timer]\nOnBootSec=1\nUnit=b.service\n' },
    }),
  )
  const services = openServices(place)
  const front = {
    name: 'front.service',
    kind: 'dependency',
    isActive: false,
    isEnabled: true,
    at: `${LIB}/front.service:2`,
  }
  expect(await services.starters('a.service', signal)).toEqual({ kind: 'known', value: [front] })
  expect(await services.starters('b.service', signal)).toEqual({ kind: 'known', value: [] })
})
