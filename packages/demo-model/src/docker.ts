import { unquoted } from './act-inputs.ts'
import type { Act } from './acts.ts'
import { quote, says, unquote } from './says.ts'
import type { Outcome } from './seen.ts'
import { fenced, plain } from './words.ts'

const container = `${quote}?(?<name>[a-z0-9][\\w.-]*)${unquote}?`
const named = `(?:the )?docker container ${container}`
const run = '(?:run|execute)'

/** Sentences about Docker on JARVIS's own machine. They contain “docker”, so they cannot mean a guest of the cluster. */
export const dockerActs: readonly Act[] = [
  {
    tool: 'list_docker_containers',
    on: 'nothing',
    says: says(
      'docker ps(?: -a)?',
      '(?:(?:list|show)(?: me)? )?(?:all )?(?:the |my )?docker containers',
      '(?:which|what) docker containers (?:run|exist|are (?:there|running|up)|do (?:i|we|you) have)(?: (?:here|now))?',
      '(?:which|what) containers (?:run|exist|are(?: there| running| up)?|do (?:i|we|you) have)(?: now)? (?:in|on|under|with|by) docker',
      '(?:how are (?:the |my )?docker containers|how is docker|is docker (?:up|running|fine|healthy)|what (?:runs|is running) (?:in|on|under) docker)',
      '(?:(?:list|show)(?: me)? )(?:all )?(?:the |my )?containers (?:in|of|on|under) docker',
    ),
    input: () => ({}),
  },
  {
    tool: 'get_docker_logs',
    on: 'nothing',
    says: says(
      `docker logs(?: of)? ${container}`,
      `(?:show|read|get|print)(?: me)? (?:the )?(?:docker )?logs? (?:of|from) ${named}`,
      `(?:show|read|get|print)(?: me)? (?:the )?docker logs? (?:of|from) (?:the )?(?:container )?${container}`,
      `what does ${named} (?:log|say|print)`,
    ),
    input: ({ words }) => ({ container: words.name, lines: 50 }),
  },
  {
    tool: 'inspect_docker_container',
    on: 'nothing',
    says: says(
      `docker inspect ${container}`,
      `(?:inspect|look at|check|show(?: me)?|how is|what is with) ${named}`,
      `how (?:is|does) ${named}(?: doing| look)?`,
    ),
    input: ({ words }) => ({ container: words.name }),
  },
  {
    tool: 'control_docker_container',
    on: 'nothing',
    says: says(
      `docker (?<act>start|stop|restart) ${container}`,
      `(?<act>start|stop|restart) ${named}`,
      `(?<act>start|stop|restart) (?:the )?(?:container )?${container} (?:in|on|under) docker`,
    ),
    input: ({ words }) => ({ container: words.name, act: words.act?.toLowerCase() }),
  },
  {
    tool: 'run_in_docker_container',
    on: 'nothing',
    says: says(`docker exec ${container} (?<text>.+?)`, `${run} (?<text>${quote}.+${unquote}|.+?) in ${named}`),
    input: ({ words }) => ({ container: words.name, command: unquoted(words.text).split(/\s+/) }),
  },
]

export const dockerReads: readonly string[] = [
  ...['list_docker_containers', 'inspect_docker_container', 'get_docker_logs', 'run_in_docker_container'],
]

/** Shows Docker's answer: containers as a list, logs and outputs as they are. */
export function dockerWords({ toolName, toolInput, text }: Outcome): string {
  const [head = '', ...rest] = text.split('\n')
  if (toolName === 'list_docker_containers')
    return [plain(head), ...(rest.length === 0 ? [] : [rest.map((line) => `- ${plain(line)}`).join('\n')])].join('\n\n')
  if (toolName === 'get_docker_logs') return `The log of ${plain(String(toolInput.container))}:\n\n${fenced(text)}`
  return rest.length === 0 ? plain(head) : `${plain(head)}\n\n${fenced(rest.join('\n'))}`
}
