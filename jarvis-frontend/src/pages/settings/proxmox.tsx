import { useEffect, useState } from 'react'
import { call } from '../../api/http.ts'
import { status as known, useStatus } from '../../api/status.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { ClusterForm } from '../../features/settings/cluster-form.tsx'
import { ForgetCluster } from '../../features/settings/forget-cluster.tsx'
import { beyondBase, RightsChoices } from '../../features/settings/rights-choices.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { restarts } from './restart.ts'
import { RestartCourse, RestartNow, SavedRow } from './restart-now.tsx'
import { Section, useRights } from './section.tsx'

export function Proxmox() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again } = useLoad('setup', isOperator ? () => call('GET /api/setup') : undefined, ['connect'])
  const status = useStatus()
  const part = status?.parts?.find(({ name }) => name === 'Cluster')
  const saved = status?.nextStart?.urls
  // Incremented when the cluster is changed, because results about the previous cluster are then invalid.
  const [forgotten, setForgotten] = useState(0)
  const begun = useValue(restarts)
  const { state } = useCluster()
  const seen = [state?.name, state?.unreachableSince, ...(state?.nodes ?? []).map((node) => node.status)].join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is as old as the last look, and another cluster is there
  useEffect(() => known.renew(), [seen])
  return (
    <Section id="proxmox" title="Proxmox">
      <ul className="fact-list">
        <li>
          <Mark kind={part?.health ?? 'unknown'} size={11} label={part?.health ?? 'not known'} />
          <span>
            {status?.isDemoCluster === true ? 'demo' : 'cluster'}
            <small>in use</small>
          </span>
          <span className="text-soft">
            <Visible text={part?.text ?? 'not known yet'} />
            {part?.effect !== undefined && (
              <small>
                <Visible text={part.effect} />
              </small>
            )}
          </span>
          <Link className="button small quiet" to="/cluster">
            Open the cluster
          </Link>
        </li>
        {saved !== undefined && <SavedRow name="cluster" text={saved.join(', ') || 'the demo cluster'} />}
        {status?.cannotStart !== undefined && (
          <li>
            <Mark kind="bad" size={11} />
            <span>
              settings
              <small>cannot be used</small>
            </span>
            <span className="text-soft">
              <Visible text={status.cannotStart} />
              <small>JARVIS runs on with those it was started with, and would not start again.</small>
            </span>
          </li>
        )}
      </ul>
      {isOperator && <Problem error={problem} onAgain={again} kept={data !== undefined} />}
      {data?.source === 'environment' && (
        <p>
          It is set in the environment or <code>.env</code> (<code>PVE_URL</code>, <code>PVE_TOKEN_ID</code>,{' '}
          <code>PVE_TOKEN_SECRET</code>) and can be changed only there.
        </p>
      )}
      {data !== undefined && data.source !== 'demo' && (
        <RightsChoices choices={data.choices} words={beyondBase(data)} />
      )}
      {isResting ? (
        <Resting who="owner" isOperator={isOperator} isLive={isLive} />
      ) : data === undefined ? (
        problem === undefined && <Skeletons rows={1} height={46} />
      ) : (
        data.source !== 'environment' && (
          <>
            <ClusterForm
              key={`${forgotten} ${begun}`}
              setup={data}
              saved={saved?.[0]}
              restart={
                saved !== undefined && (
                  <div className="form-row">
                    <RestartNow from="form" />
                    <RestartCourse from="form" />
                  </div>
                )
              }
            />
            {(saved === undefined ? data.source === 'settings' : saved.length > 0) && (
              <ForgetCluster onForgotten={() => setForgotten(forgotten + 1)} />
            )}
          </>
        )
      )}
    </Section>
  )
}
