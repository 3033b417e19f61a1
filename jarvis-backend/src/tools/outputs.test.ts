import { systemClock } from 'node-kit/clock'
import type { ToolInput } from 'protocol'
import { expect, test } from 'vitest'
import { overHomelab } from '../../test/support/house.ts'
import { createSimulator } from '../../test/support/simulator.ts'
import { createCatalog, outputSchemaOf } from './catalog.ts'

const usual: Record<string, ToolInput> = {
  get_cluster_status: {},
  get_node_status: { node: 'pve' },
  get_vms: {},
  get_containers: {},
  get_storage: {},
  get_cluster_resources: {},
  get_node_temperature: { node: 'pve' },
  get_recent_tasks: { limit: 200 },
  get_backups: {},
  restart_service: { node: 'pve', service: 'pvestatd' },
  wake_node: { node: 'agent' },
  start_vm: { vmid: 101 },
  stop_vm: { vmid: 131 },
  restart_vm: { vmid: 123 },
  start_container: { vmid: 104 },
  stop_container: { vmid: 105 },
  restart_container: { vmid: 104 },
  list_snapshots: { vmid: 121 },
  take_snapshot: { vmid: 101, name: 'usual' },
  get_guest_config: { vmid: 101 },
  set_guest_config: { vmid: 101, set: { cores: 3 } },
  resize_disk: { vmid: 101, disk: 'scsi0', addGib: 1 },
  back_up_guest: { vmid: 101, storage: 'tank-nfs' },
  clone_guest: { vmid: 141, newId: 901, name: 'copy' },
  migrate_guest: { vmid: 141, target: 'agent1' },
  destroy_guest: { vmid: 142, name: 'win11-lab' },
  run_in_guest: { vmid: 123, command: ['hostname'] },
  get_storage_health: {},
  get_uncovered_guests: {},
  get_task_log: {},
  get_node_journal: { node: 'pve' },
  get_updates: { node: 'pve' },
  get_ha_state: {},
  get_firewall: {},
  get_replication: {},
  refresh_package_lists: { node: 'pve' },
  reboot_node: { node: 'agent' },
  shutdown_node: { node: 'agent' },
}

test.each(Object.entries(usual))('%s answers what its output schema says, and no more', async (name, input) => {
  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 10_000 })
  const tool = createCatalog(overHomelab(homelab)).get(name)
  const { data } = (await tool?.run(tool.input.parse(input), {
    signal: AbortSignal.timeout(60_000),
    onProgress() {},
    onTask() {},
  })) ?? { data: undefined }
  expect(tool?.output?.strict().parse(data)).toEqual(data)
  expect(Object.keys(data ?? {}).length).toBeGreaterThan(0)
})

test('every tool says what it answers, as an object that may grow', () => {
  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  for (const tool of overHomelab(homelab).filter(({ name }) => name !== 'execute_ssh')) {
    expect(outputSchemaOf(tool), tool.name).toMatchObject({ type: 'object' })
    expect(outputSchemaOf(tool), tool.name).not.toHaveProperty('additionalProperties')
  }
})
