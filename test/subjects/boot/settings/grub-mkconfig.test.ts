import { put } from '../../../support/contract.ts'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'vitest'
import { parseCommandLine } from '../../../../src/subjects/boot/settings/command-line.ts'
import { readBootMenus } from '../../../../src/subjects/boot/settings/entries.ts'
import { readGrubSources } from '../../../../src/subjects/boot/settings/sources.ts'
import { recordFiles } from '../../../../src/settings/files.ts'
import { grubFiles } from '../../../support/grub-files.ts'
import { GRUB_PROBE } from '../../../support/grub-machine.ts'
import { machineOf } from '../../../support/setting-machine.ts'
import { cannotAsk, type Files, named } from '../../../support/surface-oracle.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { PATIENCE, sample } from '../../../support/soak.ts'

// In a namespace of mounts with a /boot, an /etc/default and a grub-probe of its own; of /etc/grub.d only what lists Linux.
const GENERATING = `set -e
cd "$1"
mount -t tmpfs none /boot
: > /boot/vmlinuz-6.1.0-1-amd64
: > /boot/initrd.img-6.1.0-1-amd64
mkdir -p scripts default
cp -p /etc/grub.d/10_linux scripts/
mount --bind scripts /etc/grub.d
mount --bind probe /usr/sbin/grub-probe
mount --bind default /etc/default
set +e
count=0
while [ -d $count ]; do
  rm -rf default/*
  cp -r $count/etc/default/. default/
  grub-mkconfig > $count/truth.new 2> /dev/null < /dev/null && mv $count/truth.new $count/truth || : > $count/truth
  count=$((count + 1))
done`

const needs = cannotAsk(['grub-mkconfig', 'unshare'], 'root')

test.skipIf(needs)(
  named('entries get what the sources say, as grub-mkconfig writes them', needs),
  { timeout: PATIENCE },
  () => {
    const all = sample(grubFiles, { usual: 200, soak: 2_000 }, 15)
    const menus = generated(all)
    const wrong = all.flatMap((each, index) => differencesOf(each, menus[index] ?? ''))
    expectAgreement({ reader: '/etc/default/grub, menu', program: 'grub-mkconfig', texts: all.length }, wrong)
  },
)

/** The menu of each machine; empty where grub-mkconfig failed. */
function generated(all: readonly Files[]): readonly string[] {
  const directory = temporaryDirectory()
  for (const [index, each] of all.entries()) {
    put(join(directory, String(index)), each)
  }
  writeFileSync(join(directory, 'probe'), GRUB_PROBE, { mode: 0o755 })
  execFileSync('unshare', ['--mount', 'sh', '-c', GENERATING, 'sh', directory], { stdio: 'pipe', env: process.env })
  return all.map((_, index) => readFileSync(join(directory, String(index), 'truth'), 'utf8'))
}

/** Entries of a generated menu that do not get what its sources say. */
function differencesOf(each: Files, menu: string): readonly unknown[] {
  const sources = readGrubSources(recordFiles(machineOf(each)).files)
  if (sources.kind === 'unknown' || menu === '') return []
  const read = readBootMenus(recordFiles(machineOf({ '/boot/grub/grub.cfg': menu })).files)
  if (read.kind === 'unknown') return [{ files: each, read }]
  const entries = read.value.grub
  if (entries.length !== 3) return [{ files: each, entries }]
  return entries.flatMap(({ commandLines, isRecovery }): unknown[] => {
    const source = sources.value.find((one) => one.isRecovery === isRecovery)?.commandLine ?? ''
    const ours = parseCommandLine(`root=/dev/sda1 ro ${isRecovery ? 'single ' : ''}${source}`)
    const [line = '', ...others] = commandLines.kind === 'known' ? commandLines.value : []
    const truth = parseCommandLine(line)
    const isSame = others.length === 0 && JSON.stringify(ours) === JSON.stringify(truth)
    return isSame ? [] : [{ files: each, ours, line }]
  })
}
