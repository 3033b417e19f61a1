import { PageHead } from '../../src/app/page-head.tsx'
import { useCluster } from '../../src/features/cluster/store.ts'
import { Visible } from '../../src/ui/boxed.tsx'
import { Mark } from '../../src/ui/mark.tsx'
import '../../src/app/pages.css'

/** The nodes of the cluster. */
export function NodesPage() {
  const { state } = useCluster()
  return (
    <>
      <PageHead detail={state?.name}>
        <span className="flex-1" />
      </PageHead>
      <div className="page scroll">
        <ul className="fact-list" aria-label="Nodes">
          {state?.nodes.map(({ name, status }) => (
            <li key={name}>
              <Mark kind={status === 'online' ? 'ok' : 'bad'} size={11} />
              <Visible text={name} />
              <span>{status}</span>
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}
