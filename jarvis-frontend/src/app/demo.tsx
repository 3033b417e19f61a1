import type { Status } from 'jarvis-backend/protocol'
import { Link } from 'react-router'

/** What is not real, and where the real one is connected. */
export function Demo({ status: { isDemoCluster, isDemoModel } }: { status: Status }) {
  return (
    <p className="demo">
      {isDemoCluster && (
        <span>
          Demo cluster: nothing here is real. <Link to="/settings#proxmox">Connect yours</Link>
        </span>
      )}
      {isDemoModel && (
        <span>
          Demo model: its answers are scripted. <Link to="/settings#models">Connect one</Link>
        </span>
      )}
    </p>
  )
}
