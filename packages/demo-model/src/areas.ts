import type { AreaName } from 'protocol'

/** Tools of the workbench for which there are sentences, by the area that brings them. */
const tools: Readonly<Record<AreaName, readonly string[]>> = {
  files: ['read_file', 'glob_files', 'grep_files', 'edit_file', 'write_file'],
  exec: ['run_command'],
  web: ['web_fetch', 'web_search'],
  browser: ['open_page', 'get_page_text', 'take_screenshot', 'read_page', 'click_element', 'go_back'],
  git: ['read_git', 'commit_files'],
  docker: [
    ...['list_docker_containers', 'inspect_docker_container', 'get_docker_logs'],
    ...['control_docker_container', 'run_in_docker_container'],
  ],
}
const titles: Readonly<Record<AreaName, string>> = {
  files: 'Files are',
  exec: 'Commands are',
  web: 'The web is',
  browser: 'The browser is',
  git: 'Git is',
  docker: 'Docker is',
}

/**
 * What is off here where a tool is not offered, and where an owner turns it on.
 * @param offered the tools that are; an area that has one of them is on
 */
export function notOffered(toolName: string, offered: readonly string[] = []): string {
  const area = (Object.keys(tools) as AreaName[]).find((name) => tools[name].includes(toolName))
  if (area === undefined || tools[area].some((name) => offered.includes(name)))
    return `That needs ${toolName}, which is not offered here, sir.`
  const [it, way] = [titles[area].endsWith('are') ? 'them' : 'it', `\`jarvis workbench on ${area}\``]
  return `${titles[area]} off here, sir. An owner turns ${it} on in Settings → Workbench, or by ${way}.`
}
