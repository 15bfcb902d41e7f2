import { needsRunningSystem, refusedAtRest } from '../../host/offline.ts'
import { readingOf } from '../../host/live/machine-reading.ts'
import { once } from '../../host/once.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import type { ReadableSubject } from '../../host/target.ts'
import { createKernelParameterControl, openKernelParameters } from './live.ts'
import type { KernelParameterControl, KernelParameters } from './parameters.ts'
import { readStoredSysctl } from './stored.ts'

/** Kernel parameters, as systemd-sysctl of systemd 252 and sysctl of procps read sysctl.d(5), and /proc/sys. */
export const SYSCTL: ReadableSubject<KernelParameters> & WritableSubject<KernelParameterControl> = {
  name: 'sysctl',
  read: {
    live: () => openKernelParameters(),
    atRest({ startFiles }) {
      const machine = readingOf(startFiles)
      let stored = once(() => readStoredSysctl(machine))
      return {
        read: (path) => needsRunningSystem(`the kernel parameter ${path}`),
        interfaces: () => needsRunningSystem('network interfaces'),
        stored: () => stored(),
        forget() {
          stored = once(() => readStoredSysctl(machine))
        },
      }
    },
    answering: (parameters, { observe, now }) => ({
      read: (path) => observe('parameters', () => parameters.read(path)),
      interfaces: (family) => now('parameters', () => parameters.interfaces(family), []),
      stored: () => now('parameters', () => parameters.stored(), { lists: [] }),
      forget: () => parameters.forget(),
    }),
  },
  write: {
    live: () => createKernelParameterControl(),
    atRest: () => ({ set: refusedAtRest('kernel parameters') }),
    keeping: (parameters, { keep }) => ({
      set: (path, value) => keep({ things: [{ kind: 'parameter', name: path }] }, () => parameters.set(path, value)),
    }),
  },
}
