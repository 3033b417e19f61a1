import { whoseIs } from 'homelab-ports/guest-identity'
import type { JobWork } from 'protocol'
import type { ComposedHomelab } from '../../homelab/room.ts'
import type { JobGuests, StoredJob } from '../job.ts'

/** Finds the guests of the cluster that the works of jobs name. */
export class ClusterGuests implements JobGuests {
  readonly #cluster: Pick<ComposedHomelab['cluster'], 'state'>

  constructor(cluster: Pick<ComposedHomelab['cluster'], 'state'>) {
    this.#cluster = cluster
  }

  of(work: JobWork): { id: string } | undefined {
    const id = this.#named(work)?.identity?.id
    return id === undefined ? undefined : { id }
  }

  problem({ work, guest: meant, createdAt }: StoredJob): string | undefined {
    const guest = this.#named(work)
    const whose = guest && whoseIs(guest.identity, { identity: meant, at: createdAt })
    // A job of an older release stores no guest. Its calls ask for confirmation like other calls.
    if (guest === undefined || whose === 'own' || (whose === 'unknown' && meant === undefined)) return undefined
    const is = whose === 'earlier' ? 'is another guest than' : 'may be another guest than'
    return `${guest.vmid} ${is} the one that this job was made for. Resume it to mean the one that is there now.`
  }

  #named(work: JobWork) {
    const named = work.kind === 'call' ? work.toolInput : work.kind === 'runbook' ? work.inputs : {}
    return this.#cluster.state().guests.find(({ vmid }) => vmid === named.vmid)
  }
}
