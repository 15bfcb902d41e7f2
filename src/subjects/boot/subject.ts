import { keptPaths } from '../../host/keeping.ts'
import { refusedAtRest } from '../../host/offline.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import type { BootMenuControl } from './boot-menu.ts'
import { createBootMenuControl } from './live-boot-menu.ts'

/** Boot menus that grub-mkconfig of GRUB 2.06 generates. */
export const BOOT_MENUS: WritableSubject<BootMenuControl> = {
  name: 'boot',
  write: {
    live: (journal) => createBootMenuControl(journal),
    atRest: () => ({ generate: refusedAtRest('boot menus') }),
    keeping: (menus, { keep }) => ({
      generate: (menu, signal) => keep(keptPaths([menu.file]), () => menus.generate(menu, signal)),
    }),
  },
}
