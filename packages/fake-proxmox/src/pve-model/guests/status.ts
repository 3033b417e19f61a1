import type { PowerStep } from '../host.ts'
import { guestIn } from '../model.ts'
import { Refusal } from '../refusal.ts'
import { flag, need, onGuest, type Route, whole } from '../route.ts'

/** Disk reads of a running guest, bytes a second. */
const readBps = 200_000

export const statusRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: onGuest('/status/(?<step>start|stop|shutdown|reboot|reset)$'),
    allowed: { timeout: whole, forceStop: flag },
    needs: ({ vmid }) => [need(`/vms/${vmid}`, 'VM.PowerMgmt')],
    run(model, parts) {
      const { step } = parts as { step: PowerStep }
      if (parts.type === 'lxc' && step === 'reset') throw new Refusal(501, "Method 'POST' not implemented")
      return model.host.power(guestIn(model, parts).vmid, step)
    },
  },
  {
    method: 'GET',
    pattern: onGuest('/status/current$'),
    allowed: {},
    needs: ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Audit')],
    run(model, parts) {
      const guest = guestIn(model, parts)
      const { vmid, name, type, status, lock, tags, isTemplate, isHa, startedAt, cpuCount, ramBytes } = guest
      const isUp = status !== 'stopped'
      const uptime = isUp ? Math.max(0, Math.floor((model.host.now() - startedAt) / 1000)) : 0
      const upS = isUp ? Math.floor(model.host.since(startedAt) / 1000) : 0
      const { agent } = model.files.of(guest).config
      const pressures = ['cpufull', 'cpusome', 'iofull', 'iosome', 'memoryfull', 'memorysome']
      const common = {
        vmid,
        name,
        uptime,
        ha: { managed: isHa ? 1 : 0 },
        maxmem: ramBytes,
        mem: isUp ? Math.round(ramBytes * 0.4) : 0,
        cpu: isUp ? 0.02 : 0,

        diskread: upS * readBps,
        diskwrite: upS * (readBps / 4),
        netin: uptime * 1_000,
        netout: uptime * 500,
        ...(isUp && Object.fromEntries(pressures.map((of) => [`pressure${of}`, of === 'cpusome' ? 0.12 : 0]))),
        lock,
        ...(tags.length > 0 && { tags: tags.join(';') }),
        ...(isTemplate && { template: 1 }),
      }
      if (type === 'lxc') return { ...common, vmid: String(vmid), status, cpus: String(cpuCount) }
      const state = { status: status === 'paused' ? 'running' : status, qmpstatus: status, cpus: cpuCount }
      const nics = { [`tap${vmid}i0`]: { netin: common.netin, netout: common.netout } }
      const process = isUp ? { pid: 4_000 + vmid, memhost: Math.round(ramBytes * 0.5), nics } : {}
      return {
        ...common,
        ...state,
        ...process,
        clipboard: null,
        ...(/^(1|enabled=1)/.test(agent ?? '') && { agent: 1 }),
      }
    },
  },
]
