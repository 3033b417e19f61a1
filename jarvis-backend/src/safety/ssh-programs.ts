import type { Grammar } from './ssh-grammar.ts'
import { diskPrograms } from './ssh-programs-disks.ts'
import { dockerPrograms } from './ssh-programs-docker.ts'
import { filePrograms } from './ssh-programs-files.ts'
import { firewallPrograms } from './ssh-programs-firewall.ts'
import { loadPrograms } from './ssh-programs-load.ts'
import { networkPrograms } from './ssh-programs-network.ts'
import { packagePrograms } from './ssh-programs-packages.ts'
import { proxmoxPrograms } from './ssh-programs-proxmox.ts'
import { servicePrograms } from './ssh-programs-services.ts'
import { storagePrograms } from './ssh-programs-storage.ts'
import { systemPrograms } from './ssh-programs-system.ts'
import { textFilters, textPrograms } from './ssh-programs-text.ts'

/** Every program that may run over SSH, and all that it may be given. */
export const programs: ReadonlyMap<string, Grammar> = new Map(
  [
    ...[filePrograms, textPrograms, loadPrograms, systemPrograms, diskPrograms, packagePrograms],
    ...[servicePrograms, dockerPrograms, networkPrograms, firewallPrograms, proxmoxPrograms, storagePrograms],
  ].flatMap(Object.entries<Grammar>),
)

/** Every program that may stand after a pipe, and all that it may be given there. */
export const filters: ReadonlyMap<string, Grammar> = new Map(Object.entries(textFilters))
