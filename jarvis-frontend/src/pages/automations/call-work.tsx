import type { Job } from 'protocol'
import { useState } from 'react'
import { listRunbooks } from '../../api/runbooks.ts'
import { useTools } from '../../api/tools.ts'
import { useLoad } from '../../api/use-load.ts'
import { useKnownNames } from '../../app/known-names.ts'
import { argumentsOf, type Call, inputsOf, isWhole, problemIn } from '../../features/tools/arguments.ts'
import { CallChoice, CallInputs } from '../../features/tools/call-choice.tsx'
import { useVerdict } from '../../features/tools/use-verdict.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'

type WorkOf<K extends Job['work']['kind']> = Extract<Job['work'], { kind: K }>

const wouldBe = {
  green: 'runs',
  yellow: 'runs, and is journalled',
  red: 'waits for you each time',
  black: 'is refused',
}

/** The fields of a job that calls one tool, and the gate's verdict on the call. */
export function ToolWork({ work }: { work: WorkOf<'call'> | undefined }) {
  const tools = useTools()
  const names = useKnownNames()
  const [call, setCall] = useState<Call>({ name: work?.toolName ?? '', input: work?.toolInput ?? {} })
  const tool = tools?.find(({ name }) => name === call.name)
  const list = tool === undefined ? [] : argumentsOf(tool)
  const isTyping = tool === undefined && (tools ?? []).some(({ name }) => name.startsWith(call.name))
  const { verdict } = useVerdict(call.name, call.input, !isTyping && isWhole(list, call.input))
  const isWrong = verdict?.rule === 'invalid_arguments'
  const wrong = isWrong
    ? problemIn(
        verdict.reason,
        list.map(({ name }) => name),
      )
    : undefined
  return (
    <>
      <CallChoice
        tools={tools}
        names={names}
        first={call}
        problem={wrong}
        isWrongName={verdict?.rule === 'unknown_tool'}
        onChange={setCall}
      />
      <p role="status">
        {wrong !== undefined
          ? wrong.key === undefined && <Visible text={wrong.text} />
          : verdict !== undefined && (
              <>
                <Tier tier={verdict.tier} size={12} />{' '}
                <b>
                  {tierWord[verdict.tier]}: it {wouldBe[verdict.tier]}.
                </b>{' '}
                <Visible text={verdict.reason} />
              </>
            )}
      </p>
    </>
  )
}

/** The fields of a job that runs a runbook: the runbook from a list, and the form of its inputs. */
export function RunbookWork({ work }: { work: WorkOf<'runbook'> | undefined }) {
  const runbooks = useLoad('runbooks', listRunbooks, ['runbooks']).data?.items
  const names = useKnownNames()
  const [chosen, setChosen] = useState(work?.name)
  const runbook = runbooks?.find(({ name }) => name === (chosen ?? runbooks[0]?.name))
  return (
    <>
      <label>
        Runbook
        <select
          className="field"
          name="runbook"
          value={runbook?.name ?? ''}
          onChange={(event) => setChosen(event.currentTarget.value)}
        >
          {runbooks?.map((one) => (
            <option key={one.name} value={one.name}>
              {one.title}
            </option>
          ))}
        </select>
      </label>
      <CallInputs
        key={runbook?.name}
        list={runbook && inputsOf(runbook.inputs)}
        names={names}
        first={work !== undefined && runbook?.name === work.name ? work.inputs : {}}
      />
    </>
  )
}
