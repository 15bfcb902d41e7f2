import { expect, test } from 'vitest'
import { readGrubSources } from '../../../src/subjects/boot/settings/sources.ts'
import { recordFiles } from '../../../src/settings/files.ts'
import { grubFiles } from '../../support/grub-files.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { machines, truths } from '../../support/surface-oracle.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'

// The loop of grub-mkconfig, whose shell ends at what fails.
const SOURCING = `( cd $count; set -e; . ./etc/default/grub
for x in etc/default/grub.d/*.cfg; do if [ -e "$x" ]; then . "./$x"; fi; done
printf '%s\\n' "$GRUB_CMDLINE_LINUX $GRUB_CMDLINE_LINUX_DEFAULT" "$GRUB_CMDLINE_LINUX" > truth.new ) > /dev/null 2>&1
mv $count/truth.new $count/truth 2> /dev/null || : > $count/truth`

test('a value that GRUB expands when it starts is unknown', () => {
  const files = { '/usr/sbin/update-grub': '', '/etc/default/grub': 'GRUB_CMDLINE_LINUX="\\$mine audit=1"\n' }
  expect(readGrubSources(recordFiles(machineOf(files)).files)).toMatchObject({ kind: 'unknown' })
})

test('the value that a shell assigns, or unknown', () => {
  const all = machines(hostile(grubFiles))
  const said = truths(all, { each: SOURCING })
  let known = 0
  const wrong = all.flatMap((each, index): unknown[] => {
    const sources = readGrubSources(recordFiles(machineOf(each)).files)
    if (sources.kind === 'unknown' || said[index] === '') return []
    known += 1
    const [normal, recovery] = sources.value
    const ours = `${normal?.commandLine}\n${recovery?.commandLine}\n`
    return ours === said[index] ? [] : [{ files: each, ours, truth: said[index] }]
  })
  expectAgreement({ reader: '/etc/default/grub', program: 'dash', texts: all.length }, wrong)
  // Else the comparison would prove nothing.
  expect(known).toBeGreaterThan(all.length / 4)
})
