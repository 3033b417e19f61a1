import { PageHead } from '../../app/page-head.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { useSearchParams } from '../../lib/location.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import '../terminal/page.css'
import { Empty } from '../../ui/empty.tsx'
import { GuestConsole } from './guest-console.tsx'

/** The console of the guest that the address names: `/console?vmid=101`. */
export function ConsolePage() {
  const [params] = useSearchParams()
  const vmid = params.get('vmid') ?? ''
  const { state } = useCluster()
  const guest = state?.guests.find((one) => String(one.vmid) === vmid)
  return (
    <>
      <PageHead title="Console" detail={guest && `${guest.name} · ${guest.vmid}`}>
        <span className="flex-1" />
      </PageHead>
      <div className="page shell-page">
        {guest !== undefined ? (
          <GuestConsole vmid={guest.vmid} type={guest.type} />
        ) : (
          state !== undefined && (
            <Empty
              title={
                <>
                  There is no guest <Visible text={vmid === '' ? 'without a number' : vmid} />.
                </>
              }
            >
              <p>
                <Link to="/cluster">The cluster</Link> lists the guests there are.
              </p>
            </Empty>
          )
        )}
      </div>
    </>
  )
}
