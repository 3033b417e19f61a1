import { need, type Route } from './route.ts'

const paths = ['/', '/nodes', '/vms', '/storage', '/pool', '/sdn']
/** The rights that the model knows. */
export const everyRight: readonly string[] = [
  ...['Sys.Audit', 'Sys.Modify', 'Sys.PowerMgmt', 'Sys.Syslog', 'SDN.Audit', 'SDN.Use', 'Pool.Allocate', 'Pool.Audit'],
  ...['Datastore.Allocate', 'Datastore.AllocateSpace', 'Datastore.AllocateTemplate', 'Datastore.Audit'],
  ...['VM.Allocate', 'VM.Audit', 'VM.Backup', 'VM.Clone', 'VM.Console', 'VM.Migrate', 'VM.PowerMgmt', 'VM.Replicate'],
  ...['VM.Snapshot', 'VM.Snapshot.Rollback', 'VM.GuestAgent.Audit', 'VM.GuestAgent.Unrestricted'],
  ...['CDROM', 'CPU', 'Cloudinit', 'Disk', 'HWType', 'Memory', 'Network', 'Options'].map((kind) => `VM.Config.${kind}`),
]

export const accessRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: /^\/access\/permissions$/,
    allowed: {},
    needs: () => [],
    run: ({ may }) =>
      Object.fromEntries(
        paths.map((path) => [
          path,
          Object.fromEntries(everyRight.filter((right) => may(need(path, right))).map((right) => [right, 1])),
        ]),
      ),
  },
]
