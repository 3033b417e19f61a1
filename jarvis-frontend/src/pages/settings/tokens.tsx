import { apiTokens } from '../../api/settings.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { mcpAddress } from '../../features/settings/token-use.tsx'
import { NewToken, TokenList } from '../../features/settings/tokens.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Section, useRights } from './section.tsx'

export function Tokens() {
  const { isOperator: mayMake, isLive, isResting, isMember } = useRights('member')
  const { data, problem, again } = useLoad('tokens', mayMake ? apiTokens : undefined, ['connect'])
  return (
    <Section id="tokens" title="Tokens">
      <p>
        For programs. A token opens the doors that it names, acts in your name and does no more than you may. What a
        program asks for waits on a card: no token can decide.
      </p>
      <div className="strip once command">
        <pre>{mcpAddress()}</pre>
        <CopyButton text={mcpAddress()} label="Copy the address for MCP clients" />
      </div>
      <p>
        An MCP client that can sign in by itself needs this address alone, and asks you here. Any other program takes a
        token made below, as <code>Authorization: Bearer …</code>
      </p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined
        ? mayMake && problem === undefined && <Skeletons rows={2} height={46} />
        : mayMake && <TokenList tokens={data.items} onChanged={again} />}
      {isResting ? (
        <Resting isOperator={mayMake} isLive={isLive} />
      ) : (
        <NewToken isMember={isMember} onChanged={again} />
      )}
    </Section>
  )
}
