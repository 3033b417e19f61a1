/** Connections to Proxmox for the rest of JARVIS: setup and doctor try an address, the drill's check reads with a token of its own. */
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
