import { guestIn } from '../model.ts'
import { flag, need, type Route, wordShape } from '../route.ts'
import { fullConfig } from './files.ts'

const guestPath = '^/nodes/(?<node>[^/]+)/(?<type>qemu|lxc)/(?<vmid>\\d+)'

export const configRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: new RegExp(`${guestPath}/config$`),
    allowed: { current: flag, snapshot: wordShape },
    needs: ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Audit')],
    run(model, parts) {
      const guest = guestIn(model, parts)
      return { ...fullConfig(guest, model.files.of(guest)), digest: model.files.digestOf(guest) }
    },
  },
]
