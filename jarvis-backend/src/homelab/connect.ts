/** Connections to Proxmox for other parts of JARVIS: setup and doctor try an address, and the restore drill's check reads with its own token. */
export {
  adviceOn,
  type Connection,
  createProxmox,
  type Inspection,
  inspectCluster,
  type Probe,
  type ProxmoxOptions,
  probeEntry,
  type SeenNode,
  Transport,
  usualDeadlines,
} from './proxmox/index.ts'
