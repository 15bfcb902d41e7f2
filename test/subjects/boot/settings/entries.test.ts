import { expect, test } from 'vitest'
import { unknown } from '../../../../src/model/observation.ts'
import { readBootMenus } from '../../../../src/subjects/boot/settings/entries.ts'
import { recordFiles } from '../../../../src/settings/files.ts'
import { grubMenu } from '../../../support/grub-machine.ts'
import { machineOf } from '../../../support/setting-machine.ts'

type Files = Readonly<Record<string, string>>

/** What would be started: each title with the command lines that the kernel may get. */
function started(files: Files): unknown {
  const menus = readBootMenus(recordFiles(machineOf(files)).files)
  if (menus.kind === 'unknown') return menus
  const all = [...menus.value.grub, ...menus.value.loader.map(({ entry }) => entry)]
  return all.map(({ title, commandLines, isRecovery }) => {
    const lines = commandLines.kind === 'known' ? commandLines.value : commandLines
    return isRecovery ? [title, lines, 'recovery'] : [title, lines]
  })
}

const grub = (text: string, others: Files = {}): unknown => started({ '/boot/grub/grub.cfg': text, ...others })

test('the menu of a Debian: submenus and recovery, but neither other systems nor tests of memory', () => {
  expect(grub(grubMenu('audit=1'))).toEqual([
    ['Debian GNU/Linux', ['root=UUID=1 ro audit=1 quiet']],
    [
      'Advanced options for Debian GNU/Linux > Debian GNU/Linux, with Linux 6.1.0-1-amd64',
      ['root=UUID=1 ro audit=1 quiet'],
    ],
    [
      'Advanced options for Debian GNU/Linux > Debian GNU/Linux, with Linux 6.1.0-1-amd64 (recovery mode)',
      ['root=UUID=1 ro single audit=1'],
      'recovery',
    ],
  ])
})

test('what 20_memtest86+ writes is no entry', () => {
  const memtest = "menuentry 'Memory test (memtest86+x64.bin)' {\n linux /boot/memtest86+x64.bin\n}\n"
  expect(grub(`menuentry 'A' {\n linux /v a\n}\n${memtest}`)).toEqual([['A', ['a']]])
})

test('an entry of custom.cfg counts where grub.cfg reads that', () => {
  const custom = "menuentry 'Mine' {\n linux /vmlinuz root=/dev/sda1 audit=0\n}\n"
  expect(grub(grubMenu(''), { '/boot/grub/custom.cfg': custom })).toContainEqual(['Mine', ['root=/dev/sda1 audit=0']])
  expect(grub("menuentry 'A' {\n linux /v a\n}\n", { '/boot/grub/custom.cfg': custom })).toEqual([['A', ['a']]])
})

test.each<[string, readonly string[]]>([
  ['linux /v a b=c', ['a b=c']],
  ['linuxefi /v a', ['a']],
  ["linux /v 'a b' c", ['"a b" c']],
  ['linux /v "a=b c" d', ['"a=b c" d']],
  ['linux /v a\\ b', ['"a b"']],
  ['linux /v a=\\"x y\\"', ['a=\\"x y\\"']],
  ['linux /v "a=\\"x\\""', ['a=\\"x\\"']],
  ["linux /v a='' b", ['a= b']],
  ['linux /v a \\\n b', ['a b']],
  ['linux /v a; echo b', ['a']],
  ['linux /v a # b', ['a']],
  ['linux /v a#b', ['a#b']],
  ['linux /v $nothing a', ['a']],
  ['set x=1; linux /v a=$x b', ['a=1 b']],
  ['set x="1 2"; linux /v a=$x b', ['a=1 2 b']],
  ['set x="1 2"; linux /v "a=$x" b', ['"a=1 2" b']],
  ["set x=1; linux /v 'a=$x'", ['a=$x']],
  ['set x=1; if true; then set x=2; fi; linux /v a=${x}', ['a=1', 'a=2']],
  ['set x=1; set y=$x; linux /v a=$y', ['a=1']],
  ['if true; then linux /v a; else linux /v b; fi', ['a', 'b']],
  ['multiboot2 /xen.gz c\nmodule2 /vmlinuz a b\nmodule2 /initrd.img', ['a b']],
])('the command line of %j', (command, lines) => {
  expect(grub(`menuentry 'A' {\n${command}\n}\n`)).toEqual([['A', lines]])
})

test('the value in the environment of GRUB is one of the values', () => {
  expect(
    grub('set x=1\nmenuentry A {\n linux /v a=$x\n}\n', {
      '/boot/grub/grubenv': '# GRUB Environment Block\nx=0\n#####',
    }),
  ).toEqual([['A', ['a=0', 'a=1']]])
})

const FALLBACK = 'if [ -z "${kernelopts}" ]; then\n  set kernelopts="root=/dev/sda1 audit=0 "\nfi\nblscfg\n'
const ENTRY = 'title Fedora\nversion 6.1\nlinux /vmlinuz-6.1\noptions $kernelopts $tuned_params x\n'

test('entries with kernelopts have them of the environment, or else of grub.cfg', () => {
  const files = { '/boot/grub2/grub.cfg': FALLBACK, '/boot/loader/entries/6.1.conf': ENTRY }
  expect(started(files)).toEqual([['Fedora', ['root=/dev/sda1 audit=0   x']]])
  const environment = '# GRUB Environment Block\nsaved_entry=1\nkernelopts=root=/dev/sda1 audit=1\n###'
  expect(started({ ...files, '/boot/grub2/grubenv': environment })).toEqual([['Fedora', ['root=/dev/sda1 audit=1  x']]])
})

test('entries of systemd-boot, of which several lines of options are one', () => {
  const files = {
    '/efi/loader/entries/a.conf': '# comment\ntitle A\nlinux /v\noptions a=1\noptions b\n',
    '/efi/loader/entries/0-rescue.conf': 'linux /v\noptions c\n',
    '/efi/loader/entries/notes.txt': 'options d\n',
  }
  expect(started(files)).toEqual([
    ['0-rescue.conf', ['c'], 'recovery'],
    ['A', ['a=1 b']],
  ])
})

test.each<[string, Files, string]>([
  ['a quote that is not closed', { '/boot/grub/grub.cfg': "menuentry 'A {\n" }, 'has an unterminated quote'],
  ['a menu that is cut off', { '/boot/grub/grub.cfg': 'menuentry A {\n linux /v a\n' }, 'ends inside a block'],
  ['a brace too many', { '/boot/grub/grub.cfg': 'linux /v a\n}\n' }, ':2: unexpected "}"'],
  ['another file', { '/boot/grub/grub.cfg': 'source /boot/more.lst\n' }, ':1 reads another file'],
  ['another boot loader', { '/boot/extlinux/extlinux.conf': '' }, 'belongs to an unsupported boot loader'],
])('%s is unknown', (_, files, detail) => {
  expect(started(files)).toMatchObject({ kind: 'unknown', detail: expect.stringContaining(detail) })
})

test('too many values of variables are unknown', () => {
  const sets = ['x', 'y', 'z'].flatMap((name) => [1, 2, 3, 4, 5].map((value) => `set ${name}=${value}`)).join('\n')
  expect(grub(`${sets}\nmenuentry A {\n linux /v $x $y $z\n}\n`)).toEqual([
    ['A', expect.objectContaining({ kind: 'unknown' })],
  ])
})

test.each(['/boot/loader/entries', '/efi/loader/entries'])(
  'entries are not known where %s cannot be listed',
  (denied) => {
    const machine = machineOf({ '/boot/grub/grub.cfg': grubMenu(''), [`${denied}/a.conf`]: ENTRY })
    const list = (path: string): ReturnType<typeof machine.probe.list> =>
      path === denied ? unknown('permission-denied', denied) : machine.probe.list(path)
    const { files } = recordFiles({ ...machine, probe: { ...machine.probe, list } })
    expect(readBootMenus(files)).toEqual(unknown('permission-denied', denied))
  },
)
