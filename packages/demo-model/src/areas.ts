import type { AreaName } from 'protocol'

/** Tools of the workbench that the demo has sentences for, by the area that provides them. */
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
 * Tells why a tool is not offered, and where an owner turns it on.
 * @param offered names of the offered tools; an area is on if one of its tools is among them
 */
export function notOffered(toolName: string, offered: readonly string[] = []): string {
  const area = (Object.keys(tools) as AreaName[]).find((name) => tools[name].includes(toolName))
  if (area === undefined || tools[area].some((name) => offered.includes(name)))
    return `That needs ${toolName}, which is not offered here, sir.`
  const [it, way] = [titles[area].endsWith('are') ? 'them' : 'it', `\`jarvis workbench on ${area}\``]
  return `${titles[area]} off here, sir. An owner turns ${it} on in Settings → Workbench, or by ${way}.`
}
