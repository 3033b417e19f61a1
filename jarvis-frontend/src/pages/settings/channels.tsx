import { readChannels, readDeliveries, readPairings, readRules, sendAgain } from '../../api/channels.ts'
import { useLoad, useNewest } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { useNarrowing } from '../../app/use-narrowing.ts'
import { timeIn } from '../../features/jobs/words.ts'
import { ChannelList } from '../../features/settings/channels/channel-list.tsx'
import { ChannelPart } from '../../features/settings/channels/channel-part.tsx'
import { Deliveries } from '../../features/settings/channels/deliveries.tsx'
import { Pairings } from '../../features/settings/channels/pairings.tsx'
import { Routes } from '../../features/settings/channels/routes.tsx'
import { RulesForm } from '../../features/settings/channels/rules.tsx'
import { FormProblem } from '../../features/settings/form-problem.tsx'
import { useAttempt } from '../../features/settings/people/use-attempt.ts'
import { useNow } from '../../ui/use-now.ts'
import { Section, useRights } from './section.tsx'
import './channels.css'

const watched = ['connect', 'channels']

/** The channels over which JARVIS reaches people outside this page, and what people may decide there. */
export function Channels() {
  const { isOperator, isLive, isResting } = useRights('operator')
  const { isOperator: isOwner } = useRights('owner')
  const channels = useNewest('channels', isOperator ? readChannels : undefined, watched)
  const pairings = useLoad('channel pairings', isOperator ? readPairings : undefined, watched)
  const deliveries = useLoad('channel deliveries', isOperator ? readDeliveries : undefined, watched)
  const rules = useNewest('channel rules', isOperator ? readRules : undefined, watched)
  const [params, narrow] = useNarrowing()
  const { problem, isBusy, attempt } = useAttempt()
  const items = channels.data?.items
  const open = items?.find(({ id }) => id === params.get('channel'))
  const changed = () => {
    channels.again()
    pairings.again()
    deliveries.again()
  }
  return (
    <Section id="channels" title="Channels">
      <p>Where JARVIS reaches you; each may do at most what you see here.</p>
      {isOperator && <Problem error={channels.problem} onAgain={channels.again} kept={items !== undefined} />}
      {isOperator && items === undefined && channels.problem === undefined && <Skeletons rows={4} height={46} />}
      {items !== undefined && (
        <>
          <ChannelList channels={items} open={open?.id} onOpen={(id) => narrow({ channel: id })}>
            {open !== undefined && (
              <ChannelPart
                key={`${open.id} ${open.state}`}
                channel={open}
                isOwner={isOwner}
                isResting={isResting}
                onChanged={changed}
              >
                <Pairings
                  channel={open}
                  pairings={pairings.data?.items.filter(({ channel }) => channel === open.id) ?? []}
                  isResting={isResting}
                  onChanged={changed}
                />
              </ChannelPart>
            )}
          </ChannelList>
          {isOwner && rules.data !== undefined && items.some(({ state }) => state !== 'off') && (
            <>
              <h3>Quiet hours, and cards that nobody answers</h3>
              {channels.data !== undefined && <Zone zone={channels.data.zone} />}
              <RulesForm rules={rules.data} channels={items} isResting={!isLive} onChanged={rules.again} />
              <Routes rules={rules.data} channels={items} isResting={!isLive} onChanged={rules.again} />
            </>
          )}
          {deliveries.data !== undefined && channels.data !== undefined && (
            <Deliveries
              items={deliveries.data.items}
              channels={items}
              today={channels.data.today}
              isResting={isResting || isBusy}
              onAgain={(id) => void attempt(() => sendAgain(id)).then(changed)}
            />
          )}
          <FormProblem text={problem} />
        </>
      )}
      <Resting isOperator={isOperator} isLive={isLive} />
    </Section>
  )
}

/** Says in which time zone the hours are: the server's, which in a container often differs from the browser's. */
function Zone({ zone }: { zone: string }) {
  const now = useNow(60_000)
  return (
    <p>
      Hours count in {zone}, where it is {timeIn(now, zone)}. <code>TZ</code> in .env sets the zone of JARVIS.
    </p>
  )
}
