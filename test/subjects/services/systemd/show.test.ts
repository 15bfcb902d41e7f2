import { expect, test } from 'vitest'
import { parseShownUnits, showCommand } from '../../../../src/subjects/services/systemd/show.ts'
import { captured, everyVersion } from '../../../support/captured.ts'

/** Units in every state, of a host that was made for it. */
const STATES = captured('systemctl', '252', 'states')
const OUTPUT = STATES.stdout

function runtime(activeState: string, loadState = 'loaded', result = 'success'): object {
  return { activeState, loadState, result }
}

test('every unit in the output of systemctl is parsed, in its order', () => {
  const named = parseShownUnits(OUTPUT).map(({ unit, runtime: seen, unitFileState }) => [unit, seen, unitFileState])
  expect(named).toEqual([
    ['ssh.service', runtime('active'), 'enabled'],
    ['ssh.service', runtime('active'), 'enabled'],
    ['nosuch.service', runtime('inactive', 'not-found'), ''],
    ['getty@tty1.service', runtime('inactive'), 'enabled'],
    ['crash.service', runtime('failed', 'loaded', 'exit-code'), 'disabled'],
    ['slow.service', runtime('activating'), 'static'],
    ['maskd.service', runtime('inactive', 'masked'), 'masked'],
    ['demo.service', runtime('active'), 'disabled'],
    ['multi-user.target', runtime('active', 'loaded', ''), 'static'],
    ['-.slice', runtime('active', 'loaded', ''), ''],
  ])
})

test.each([['states', STATES] as const, ...everyVersion('systemctl', 'show')])(
  'the command is the one whose output was recorded: %s',
  (_version, { command }) => {
    expect(showCommand(command.slice(command.indexOf('--') + 1))).toEqual(command)
  },
)

test.each(everyVersion('systemctl', 'show'))('a fresh host shows its units: systemctl %s', (_version, { stdout }) => {
  expect(parseShownUnits(stdout).map(({ unit, runtime: seen, unitFileState }) => [unit, seen, unitFileState])).toEqual([
    ['cron.service', runtime('active'), 'enabled'],
    ['nosuch.service', runtime('inactive', 'not-found'), ''],
    ['getty@tty1.service', runtime('inactive'), 'enabled'],
    ['multi-user.target', runtime('active', 'loaded', ''), 'static'],
    ['-.slice', runtime('active', 'loaded', ''), ''],
  ])
})

test('a unit has all its names, and says whether its files have changed since they were read', () => {
  const units = parseShownUnits(OUTPUT)
  expect(units[0]?.names).toEqual(['ssh.service', 'sshd.service'])
  expect(units.filter(({ needsReload }) => needsReload).map(({ unit }) => unit)).toEqual(['demo.service'])
})

test.each([
  ['nothing', ''],
  ['a message', "Running in chroot, ignoring command 'show'\n"],
  ['a block that was cut', 'Id=a.service\nNames=a.service\nLoadState=loaded\nActiveState=act\n'],
  ['an unknown state', OUTPUT.slice(0, OUTPUT.indexOf('\n\n')).replace('=active', '=aktiv')],
  [
    'lines left out',
    'Id=a.service\nNames=a.service\n[12 bytes left out]\nLoadState=loaded\nActiveState=active\nUnitFileState=\n',
  ],
])('%s tells of no unit', (_, output) => {
  expect(parseShownUnits(output)).toEqual([])
})

test('truncated output never has a wrong unit', () => {
  const whole = parseShownUnits(OUTPUT)
  for (let end = 0; end <= OUTPUT.length; end++) {
    for (const shown of parseShownUnits(OUTPUT.slice(0, end)).slice(0, -1)) expect(whole).toContainEqual(shown)
  }
})
