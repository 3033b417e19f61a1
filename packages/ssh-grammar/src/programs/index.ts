import type { Grammar } from '../grammar.ts'
import { diskPrograms } from './disks.ts'
import { dockerPrograms } from './docker.ts'
import { filePrograms } from './files.ts'
import { firewallPrograms } from './firewall.ts'
import { kubernetesPrograms } from './kubernetes.ts'
import { loadPrograms } from './load.ts'
import { networkPrograms } from './network.ts'
import { packagePrograms } from './packages.ts'
import { proxmoxPrograms } from './proxmox.ts'
import { servicePrograms } from './services.ts'
import { storagePrograms } from './storage.ts'
import { systemPrograms } from './system.ts'
import { textFilters, textPrograms } from './text.ts'

/** Every program that may run over SSH, with its grammar. */
export const programs: ReadonlyMap<string, Grammar> = new Map(
  [
    ...[filePrograms, textPrograms, loadPrograms, systemPrograms, diskPrograms, packagePrograms],
    ...[
      servicePrograms,
      dockerPrograms,
      kubernetesPrograms,
      networkPrograms,
      firewallPrograms,
      proxmoxPrograms,
      storagePrograms,
    ],
  ].flatMap(Object.entries<Grammar>),
)

/** Every program that may follow a pipe, with its grammar. */
export const filters: ReadonlyMap<string, Grammar> = new Map(Object.entries(textFilters))
