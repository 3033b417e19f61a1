const by = (does: string, names: string): [string, string][] => names.split(' ').map((name) => [name, does])

/** Common programs that are refused, and why. The list only affects the message; unlisted programs are refused too. */
export const refusedPrograms: ReadonlyMap<string, string> = new Map([
  ...by('deletes files', 'rm rmdir unlink shred wipefs'),
  ...by('writes files', 'cp mv install ln mkdir touch truncate tee dd rsync scp sftp split csplit patch'),
  ...by('changes who may use files', 'chmod chown chgrp setfacl chattr'),
  ...by('can write files and run programs', 'tar rg git man vi vim nano emacs ed ex zip unzip cpio'),
  ...by(
    'runs programs',
    'xargs env nohup setsid timeout time nice ionice watch parallel script expect busybox flock stdbuf chrt taskset',
  ),
  ...by(
    'runs programs and writes files; use cut, grep, sort or the columns of the program itself',
    'awk gawk mawk nawk',
  ),
  ...by(
    'runs whatever it is given',
    'sh bash dash zsh ksh fish eval exec source . python python3 perl ruby node php lua',
  ),
  ...by('acts as someone else', 'sudo su doas runuser chroot nsenter unshare pkexec systemd-run'),
  ...by('is a pager, and pagers run programs', 'less more most pg'),
  ...by('fetches from or sends to the network', 'curl wget nc ncat socat ssh telnet ftp tftp'),
  ...by('can write to a file', 'tcpdump strace ltrace gdb perf bpftrace'),
  ...by('hides what it shows from whoever looks for secrets', 'base64 base32 xxd od hexdump uuencode rev'),
  ...by('measures by writing to the disk', 'pveperf fio bonnie++ iozone'),
  ...by('stops processes', 'kill killall pkill'),
  ...by('stops the node', 'reboot shutdown poweroff halt init telinit'),
  ...by('changes accounts', 'passwd useradd userdel usermod groupadd groupdel chpasswd visudo'),
  ...by(
    'changes disks',
    'fdisk sfdisk gdisk parted mkfs mke2fs fsck sgdisk lvcreate lvremove vgremove pvremove lvextend lvresize vgcreate pvcreate resize2fs xfs_repair blkdiscard zdb',
  ),
  ...by('shows variables, which hold secrets', 'printenv set export declare'),
  ...by('changes packages', 'aptitude pip pip3 npm snap flatpak gem cargo go'),
  ...by(
    'changes the cluster',
    'pveum vzdump qmrestore vzrestore pct-restore pveupdate pveupgrade pvesubscription pmxcfs',
  ),
  ...by('changes the kernel', 'modprobe insmod rmmod kexec depmod update-initramfs update-grub'),
  ...by('never ends', 'yes htop atop iftop nethogs'),
  ...by('can compare whole folders and so show secrets', 'diff'),
])
