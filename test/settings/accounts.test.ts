import fc from 'fast-check'
import { test } from 'vitest'
import { loginDefs } from '../../src/subjects/accounts/login-defs.ts'
import { useradd } from '../../src/subjects/accounts/useradd.ts'
import { cNumberOf } from '../../src/settings/values.ts'
import { cannotAsk, type Files, machines, named, truths, valueOn } from '../support/surface-oracle.ts'
import { hostile } from '../support/hostile-files.ts'
import { expectAgreement } from '../support/proof.ts'
import { PATIENCE } from '../support/soak.ts'

const useraddFiles: fc.Arbitrary<Files> = fc.record({
  '/etc/default/useradd': fc
    .array(
      fc.constantFrom(
        'INACTIVE=30',
        'INACTIVE=010',
        'INACTIVE=-1',
        ' INACTIVE=5',
        'INACTIVE =5',
        'INACTIVE=0x1f',
        '#INACTIVE=3',
        'HOME=/x y ',
        'HOME="/x"',
        'SKEL=/s',
        '',
        'INACTIVEX=4',
        'EXPIRE=2030-01-01',
      ),
      { maxLength: 5 },
    )
    .map((lines) => lines.map((line) => `${line}\n`).join('')),
})

const needsUseradd = cannotAsk(['useradd', 'unshare'], 'root')

test.skipIf(needsUseradd)(
  named('defaults of accounts are those of useradd -D', needsUseradd),
  { timeout: PATIENCE },
  () => {
    const all = machines(hostile(useraddFiles))
    const said = truths(all, {
      before: 'touch u /etc/default/useradd; mount --bind u /etc/default/useradd',
      each: 'cat $count/etc/default/useradd > u; useradd -D > $count/truth 2>/dev/null',
    })
    const wrong = all.flatMap((files, index): unknown[] =>
      ['INACTIVE', 'HOME', 'SKEL', 'EXPIRE'].flatMap((key): unknown[] => {
        const ours = valueOn(useradd, files, key) ?? ''
        const truth = new RegExp(`^${key}=([^\\n]*)$`, 'm').exec(said[index] ?? '')?.[1]
        const isSame =
          key === 'INACTIVE' ? String(Math.max(-1, Number(cNumberOf(ours) ?? -1))) === truth : ours === truth
        return isSame || ours.startsWith('unknown: ') ? [] : [{ files, key, ours, truth }]
      }),
    )
    expectAgreement({ reader: '/etc/default/useradd', program: 'useradd', texts: all.length }, wrong)
  },
)

const loginDefsFiles: fc.Arbitrary<Files> = fc.record({
  '/etc/login.defs': fc
    .array(
      fc.tuple(
        fc.constantFrom('', ' ', '#', '\t'),
        fc.constantFrom('PASS_MAX_DAYS', 'PASS_MIN_DAYS', 'PASS_WARN_AGE', 'pass_max_days'),
        fc.constantFrom(' ', '\t', '  ', ' "', '='),
        fc.constantFrom('365', '7', '010', '0x10', '99999', '5 # five', '', '8" 9', '-1'),
        fc.constantFrom('', ' ', '"', '\t'),
      ),
      { maxLength: 6 },
    )
    .map((lines) => lines.map((parts) => `${parts.join('')}\n`).join('')),
})

test.skipIf(needsUseradd)(
  named('the ages of a new password are those that useradd gives it', needsUseradd),
  { timeout: PATIENCE },
  () => {
    const all = machines(hostile(loginDefsFiles))
    const said = truths(all, {
      // useradd waits until a disk has what it writes.
      before: 'mkdir m; mount -t tmpfs none m; mkdir m/etc',
      each: `for f in passwd shadow group gshadow; do : > m/etc/$f; done; cp $count/etc/login.defs m/etc
useradd -P "$PWD/m" -M u 2>/dev/null; line=; read -r line < m/etc/shadow; echo "$line" > $count/truth`,
    })
    const wrong = all.flatMap((files, index): unknown[] => {
      const ours = ['PASS_MIN_DAYS', 'PASS_MAX_DAYS', 'PASS_WARN_AGE'].map((key) => {
        // With what is no number shadow complains and goes by the default.
        const days = cNumberOf(valueOn(loginDefs, files, key) ?? '') ?? -1
        return days === -1 ? '' : String(days)
      })
      const isUnknown = valueOn(loginDefs, files, 'UMASK')?.startsWith('unknown: ') === true
      const truth = said[index]?.trim().split(':').slice(3, 6)
      return isUnknown || ours.join(':') === truth?.join(':') ? [] : [{ files, ours, truth }]
    })
    expectAgreement({ reader: 'login.defs', program: 'useradd', texts: all.length }, wrong)
  },
)
