import { decideMount, type MountState, type MountDesired } from '../../../src/subjects/mounts/decide.ts'
import { known } from '../../../src/model/observation.ts'
import { testDecisionCases } from '../decision-cases.ts'

// The cases are data, in cases/*.yaml. One that observes neither what is now nor what is stored has no mount.
testDecisionCases('mounts', {
  wanted: ['options', 'stored_options', 'device', 'fstype', 'if_absent'],
  observed: ['path', 'now', 'stored', 'fstab'],
  decide: (wanted, observed) => {
    const desired = { ensure: 'mounted', if_absent: 'drift', ...wanted } as MountDesired
    if (Object.keys(observed).length === 0) return decideMount(desired, { kind: 'absent', context: undefined })
    const fstab = { kind: 'present', state: { kind: 'file', uid: 0, gid: 0, mode: 0o644 }, context: undefined }
    const state = { path: '/home', now: known(HOME), stored: known(STORED), fstab, ...observed } as MountState
    return decideMount(desired, { kind: 'present', state, context: undefined })
  },
})

const HOME = {
  kind: 'mounted',
  options: ['nosuid', 'relatime', 'size=64k'],
  own: ['nosuid', 'relatime'],
  written: { mount: ['rw', 'nosuid', 'relatime'], fileSystem: ['rw', 'size=64k'] },
  source: '/dev/vdb',
  fstype: 'ext4',
  isOwnFileSystem: true,
  within: '/',
}

const STORED = {
  kind: 'stored',
  options: 'nodev,nosuid,noexec',
  origin: { file: '/etc/fstab', line: 2 },
  shadowed: [],
  place: { kind: 'fstab-line', text: '# disks\n/dev/vdb\t/home ext4 nodev,nosuid,noexec 0 2\n', line: 2 },
}
