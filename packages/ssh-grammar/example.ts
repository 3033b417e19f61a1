import { judgeCommand } from 'ssh-grammar/judge-command'

export const example = () => ['df -h', 'rm -rf /', 'cat notes; reboot'].map((command) => judgeCommand(command))
