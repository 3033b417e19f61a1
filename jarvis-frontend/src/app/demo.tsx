import type { Status } from 'protocol'
import { savedPlaces } from '../features/settings/next-start.ts'
import { Link } from '../ui/link.tsx'

/** Says which parts are a demo (cluster, model), with links to the settings that connect real ones. */
export function Demo({ status: { isDemoCluster, isDemoModel, nextStart } }: { status: Status }) {
  const saved = savedPlaces(nextStart)
  return (
    <section className="demo" aria-label="Demo">
      {isDemoCluster && (
        <span>
          Demo cluster: nothing here is real.{' '}
          {saved === undefined ? (
            <Link to="/settings/proxmox">Connect yours</Link>
          ) : (
            <>
              Saved: <Link to="/settings/proxmox">{saved}</Link>. It counts from the next start of JARVIS.
            </>
          )}
        </span>
      )}
      {isDemoModel && (
        <span>
          Demo model: its answers are scripted. <Link to="/settings/models">Connect one</Link>
        </span>
      )}
    </section>
  )
}
