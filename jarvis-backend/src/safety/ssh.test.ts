import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeCommand, parseCommand, quote } from './ssh.ts'

/** One command a line; an empty line parts the classes. */
const rows = (block: string) => block.split('\n').filter((line) => line.trim() !== '')

const hostile = rows(String.raw`
ls; rm -rf /
ls && reboot
ls || reboot
ls & reboot
ls | sh
uptime |& tee /tmp/x
cat < /etc/shadow
echo x > /etc/passwd
df >> /root/x
df 2>&1
ls $(reboot)
ls "$(reboot)"
ls ${'`'}reboot${'`'}
ls "${'`'}reboot${'`'}"
cat <(reboot)
cat >(reboot)
ls $IFS
cat$IFS/etc/shadow
ls ${'$'}{HOME}
ls "$HOME"
ls $'\x2d'
ls $"x"
(reboot)
{ reboot; }
ls {a,b}
cat /etc/shado?
cat /etc/shad*
cat /etc/[s]hadow
ls ~root
ls ~/.ssh
! ls
ls !!
ls # reboot
find / -ex\ec reboot \;
cat /etc/sha\dow
l\s
LD_PRELOAD=/tmp/x.so ls
PATH=/tmp ls
A=1 B=2 df
"A=1" df
PATH+=/tmp ls
ls 'unclosed
ls "unclosed
''
""
cat /etc/shadоw
ls é
/bin/ls
./ls
../ls
/usr/bin/env ls

rm -rf /
rm x
unlink x
mv a b
cp a b
ln -s a b
touch x
mkdir x
chmod 777 /
chown root x
dd if=/dev/zero of=/dev/sda
truncate -s 0 x
tee /etc/passwd
install a b
rsync a b
sh -c reboot
bash -c reboot
bash
python3 -c 1
perl -e 1
ruby -e 1
node -e 1
awk 'BEGIN{system("reboot")}'
sed -n 1p /etc/hosts
sed -i s/a/b/ x
sed -n '1e reboot' x
sed -n 'w /tmp/x' x
sort -o /etc/passwd x
sort --compress-program=sh x
uniq a b
tar -cf x --to-command=sh /
tar xf x
rg --pre sh x
man -P sh ls
git -c core.pager=sh log
less /etc/hosts
more /etc/hosts
vim -c ':!reboot'
env
env sh
printenv
set
export
xargs reboot
nohup reboot
timeout 5 reboot
watch ls
nice ls
sudo ls
su -c ls
chroot / ls
nsenter -t 1 ls
unshare sh
ssh other ls
scp a b:
curl http://x
wget http://x
nc -l 1
socat x y
telnet x
tcpdump -w x
strace ls
gdb
kill 1
killall sshd
pkill sshd
reboot
shutdown now
poweroff
halt
init 0
passwd root
useradd x
visudo
fdisk /dev/sda
mkfs /dev/sda
wipefs -a /dev/sda
hdparm --security-erase x /dev/sda
modprobe x
insmod x
crontab -e
crontab -r
crontab /tmp/x
at now
batch
systemd-run reboot
busybox reboot
diff -N /etc /var/empty
constructor
__proto__
toString
hasOwnProperty

find / -exec reboot ';'
find / -execdir reboot ';'
find / -ok reboot ';'
find / -okdir reboot ';'
find / -delete
find / -fprint /etc/passwd
find / -fprint0 x
find / -fprintf x y
find / -fls x
find / -name x -exec sh -c y '{}' +
find -files0-from x
find / -ex'ec' reboot ';'
find / "-delete"
find -D exec /
find -O3 /
find / -newerXY x
find / -name -exec
find / --delete

journalctl --vacuum-size=1
journalctl --vacuum-time 1s
journalctl --vacuum-files=1
journalctl --rotate
journalctl --flush
journalctl --sync
journalctl --relinquish-var
journalctl --setup-keys
journalctl --update-catalog
journalctl --cursor-file=/etc/passwd
journalctl -f
journalctl -fu ssh
journalctl -u ssh -f
journalctl --follow
journalctl --foll
journalctl --vac=1
journalctl --file /x
journalctl -D /x
journalctl --root=/x
journalctl -M x
journalctl -b -f
dmesg -C
dmesg -c
dmesg -Tc
dmesg --clear
dmesg --read-clear
dmesg --cle
dmesg -w
dmesg -W
dmesg -n 1
dmesg -D
dmesg -E
dmesg --console-off
dmesg --console-on
dmesg -F /etc/shadow
dmesg -H
date -s 2020-01-01
date --set=2020-01-01
date --se=2020-01-01
date 010100002020
date -f /etc/shadow
date -us 1
hostname x
hostname -F /etc/x
hostname -b x
hostname --file=/x
ip link set eth0 down
ip l s eth0 down
ip link s
ip addr add 1.1.1.1/8 dev x
ip addr flush dev x
ip a del x
ip route add default via 1.1.1.1
ip route flush table all
ip route save
ip netns exec x reboot
ip netns add x
ip vrf exec x reboot
ip -b /tmp/x
ip -batch /tmp/x
ip -n x addr
ip -all netns exec reboot
ip monitor
ip neigh add x
ip rule add x
ip tuntap add x
ip xfrm state
ss -K
ss -tK dst 1.1.1.1
ss --kill
ss --kil
ss -D /etc/passwd
ss -F /etc/shadow
ss -E
ss -N x
sysctl -w kernel.x=1
sysctl kernel.x=1
sysctl -p
sysctl --system
sysctl kernel/../../self/environ
sysctl -n kernel/x
smartctl -s off /dev/sda
smartctl -as off /dev/sda
smartctl --smart=off /dev/sda
smartctl -t long /dev/sda
smartctl -X /dev/sda
smartctl -l scterc,70,70 /dev/sda
smartctl -l sasphy,reset /dev/sda
smartctl --set=wcache,off /dev/sda
smartctl -B /etc/shadow /dev/sda
smartctl -a /etc/shadow
smartctl -a /dev/../etc/x;y
sensors -s
sensors -c /etc/shadow
mount /dev/sda1 /mnt
mount -a
mount -o remount,rw /
mount --bind / /mnt
umount /mnt
swapon -a
swapon /dev/sda
swapoff -a
lsof +r
lsof +D /
lsof -r 1
lsof -D b/tmp/x
tree -o /etc/passwd
last -f /etc/shadow
file -C -m x
file -f /etc/shadow
file -z x
lspci -xxxx
lspci -O x=y
lshw -dump x
dmidecode --dump-bin x
nvidia-smi -pm 1
nvidia-smi -pl 1
nvidia-smi -r
nvidia-smi -f /etc/passwd
nvidia-smi -l 1
nvidia-smi --query-gpu=name --format=csv -l
dpkg -i x.deb
dpkg -r x
dpkg --pre-invoke=reboot -l
apt install x
apt list -o APT::X=sh
apt upgrade
apt update
ethtool -s eth0 speed 10
ethtool -K eth0 tso off
ethtool -r eth0
ifconfig eth0 down
route add default gw x
arp -d x
arp -s x y
iptables -F
iptables -A INPUT -j DROP
iptables -L -Z
iptables -P INPUT DROP
iptables -X
nft flush ruleset
nft -f /tmp/x
ufw disable
ufw status extra
getent shadow
getent gshadow root
mdadm --stop /dev/md0
mdadm -D --stop /dev/md0
blkid -c /etc/x
vgremove x
lvs --config x
nvme format /dev/nvme0
nvme reset /dev/nvme0
timedatectl set-time 1
timedatectl set-ntp 0
hostnamectl set-hostname x
hostnamectl hostname x
loginctl terminate-user root
resolvectl flush-caches
networkctl down eth0
chronyc makestep
bridge link set dev x
brctl delbr x
tc qdisc del dev x
conntrack -F
conntrack -D
numactl reboot
service nginx restart
service --status-all
who /etc/shadow

systemctl restart nginx
systemctl stop nginx
systemctl edit nginx
systemctl daemon-reload
systemctl enable nginx
systemctl mask nginx
systemctl set-environment A=1
systemctl show-environment
systemctl show nginx
systemctl show -p Environment nginx
systemctl show -p Id,Environment nginx
systemctl show --property=EnvironmentFiles nginx
systemctl show --property=ActiveState, nginx
systemctl -H other status
systemctl --host=other status
systemctl -M x status
systemctl --root=/x list-unit-files
systemctl isolate rescue
systemctl reboot
systemctl stat nginx
systemctl status --wait x
systemctl kill x
systemctl reset-failed
systemd-analyze verify /x
systemd-cgtop
qm monitor 100
qm stop 100
qm start 100
qm set 100 --name x
qm destroy 100
qm guest exec 100 reboot
qm guest passwd 100 root
qm guest cmd 100 shutdown
qm agent 100 shutdown
qm terminal 100
qm sendkey 100 x
qm unlock 100
qm cloudinit dump 100 user
qm config 100 200
qm config all
qm config 0100
qm conf 100
pct exec 104 reboot
pct enter 104
pct stop 104
pct push 104 a b
pct pull 104 a b
pct set 104 x
pct df 104
pvecm add x
pvecm expected 1
pvecm delnode x
pvesm set x
pvesm free local:x
pvesm alloc x
pvesh create /nodes
pvesh set /x
pvesh delete /x
pvesh get /access/users
pvesh get /cluster/acme/plugins
pvesh get /nodes/pve/qemu/100/agent/file-read --file /etc/shadow
pvesh get /nodes/pve/qemu/100/agent/exec-status --pid 1
pvesh get /nodes/../access/users
pvesh get /nodes/pve/execute
pvesh get /nodes/pve/termproxy
pvesh usage /nodes
pveum user list
pvenode config set
ha-manager add vm:100
ha-manager migrate vm:100 x
ha-manager crm-command stop x
vzdump 100
zpool destroy tank
zpool scrub tank
zpool status -c upgrade
zpool status 1
zpool status tank 5
zpool iostat 1
zpool iostat tank 1
zpool iostat tank 1 1000
zpool iostat -c x
zpool import
zpool export tank
zpool set a=b tank
zpool clear tank
zfs destroy tank/x
zfs set a=b tank
zfs send tank/x@y
zfs rollback tank@x
zfs diff tank@x
ceph osd out 1
ceph osd down 1
ceph osd pool delete x
ceph auth get client.admin
ceph auth ls
ceph config-key get x
ceph config dump
ceph
ceph -f json
ceph -w
ceph -s -o /etc/passwd
ceph tell x
btrfs device stats -z /
btrfs scrub start /
exportfs -ua
exportfs -r
docker exec x sh
docker run x
docker rm x
docker stop x
docker inspect x
docker logs -f x
docker logs --follow x
docker logs --details x
docker stats
docker stats --no-stream=false
docker -H tcp://x ps
docker --host tcp://x ps
docker cp x:/a b
docker system prune
docker system events
docker events
docker top x eww
docker compose up
docker volume rm x
docker network rm x
docker image prune
docker container inspect x
docker build .
docker plugin enable x

top
top -b
top -n 1
top -b -n 100000
tail -f /var/log/syslog
tail -F /var/log/syslog
tail -fn5 /var/log/syslog
tail -5f /var/log/syslog
tail --follow /var/log/syslog
tail --follow=name /var/log/syslog
tail --fol /var/log/syslog
tail --retry /var/log/syslog
tail --pid=1 /var/log/syslog
tail +5f /var/log/syslog
ping 1.1.1.1
ping -c 1000 1.1.1.1
ping -f 1.1.1.1
ping -c 1 -f 1.1.1.1
ping -c 1 -i 0 1.1.1.1
ping -c 1 -b 255.255.255.255
ping -c 1 -p ff 1.1.1.1
ping -c 1 a b
ping -c1 -- -f
vmstat 1
vmstat 1 100000
iostat 1
iostat -x 1
iostat -f /x
mpstat 1
free -s 1
findmnt --poll
netstat -c
watch -n1 ls
yes
cat
cat -
head
grep root
grep -r root
wc
mtr x

cat /etc/shadow
cat /etc/shadow-
cat /etc/gshadow
cat //etc//shadow
cat /etc/./shadow
cat /var/../etc/shadow
cat /var/run/../etc/passwd
cat ../etc/shadow
cat '/etc/shadow'
cat "/etc/sha"'dow'
cat -- /etc/shadow
cat /ETC/SHADOW
cat /etc/hosts /etc/shadow
cat /etc/sudoers
cat /etc/security/opasswd
cat /etc/pve/priv/authkey.key
cat /etc/pve/priv/shadow.cfg
cat /etc/pve/priv/token.cfg
cat /etc/pve/priv/storage/pbs.pw
cat /etc/pve/./priv/tfa.cfg
cat /etc/pve/nodes/pve/priv/x
cat /etc/pve/local/pve-ssl.key
cat /etc/pve/user.cfg
cat /etc/pve/authkey.pub/../priv/authkey.key
cat /var/lib/pve-cluster/config.db
ls -la /etc/pve/priv
head /root/.ssh/id_rsa
head /root/.ssh/id_ed25519
cat .ssh/id_rsa
cat /home/u/.ssh/id_ecdsa
cat /root/.ssh/mykey
cat /etc/ssh/ssh_host_ed25519_key
cat /etc/ssl/private/snakeoil.pem
cat /etc/letsencrypt/live/x/privkey.pem
cat /etc/nginx/ssl/server.key
cat /root/server.pem
cat /etc/wireguard/wg0.conf
cat /etc/openvpn/server.conf
cat /etc/ceph/ceph.client.admin.keyring
cat /etc/corosync/authkey
cat /etc/krb5.keytab
cat /etc/kubernetes/admin.conf
cat /etc/postfix/sasl_passwd
cat /etc/mysql/debian.cnf
cat /proc/1/environ
cat /proc/self/environ
cat /proc/1/mem
cat /proc/1/task/1/environ
cat /proc/self/root/etc/hosts
cat /proc/self/cwd/x
cat /proc/1/fd/3
cat /proc/thread-self/environ
cat /proc/kcore
cat /proc/kmsg
cat /proc/sysrq-trigger
cat /dev/sda
cat /dev/zero
cat /dev/../etc/hosts
head -c 100 /dev/mem
tail /dev/nvme0n1
cat /sys/kernel/debug/tracing/trace_pipe
cat /sys/kernel/tracing/trace_pipe
cat /root/.bash_history
cat /root/.zsh_history
cat /root/.mysql_history
cat /root/.env
cat /opt/app/.env.production
cat /opt/app/prod.env
cat /root/.aws/credentials
cat /root/.kube/config
cat /root/.docker/config.json
cat /root/.netrc
cat /root/.pgpass
cat /root/.my.cnf
cat /root/.git-credentials
cat /root/.gnupg/secring.gpg
cat /root/.config/rclone/rclone.conf
cat /root/my-secrets.txt
cat /root/passwords.txt
cat /run/secrets/db
cat /run/credentials/x/y
cat /swapfile
cat /var/lib/vz/images/100/vm-100-disk-0.qcow2
cat /var/lib/vz/dump/vzdump-qemu-100.vma.zst
cat /var/lib/docker/containers/x/config.v2.json
cat /var/lib/lxc/104/rootfs/etc/shadow
cat /rpool/data/subvol-104-disk-0/etc/shadow
cat /var/backups/shadow.bak
head -n1 /etc/shadow
tail -n1 /etc/shadow
grep root /etc/shadow
grep -e root /etc/shadow
grep --regexp=root /etc/shadow
grep -f /etc/shadow /etc/hosts
grep --file=/etc/shadow /etc/hosts
grep -r root /
grep -r root /etc
grep -r root /etc/
grep -R root /root
grep -ri pass /proc
grep -rn x /dev
grep -r x .
grep -r x /etc/pve
grep -r x /etc/../etc
grep -r x /home
grep -r x /opt
grep -r x /var
grep -d recurse x /etc
grep --directories=recurse x /etc
grep --recursive x /
grep --recu x /var/log
grep x -r /etc
egrep -r x /etc
zcat /etc/shadow.gz
zcat /root/x.gz
sha256sum /etc/shadow
md5sum /root/.ssh/id_rsa
sha256sum -c /etc/hosts
wc /etc/shadow
wc --files0-from=/etc/x
du --files0-from=/etc/hosts
du -X /etc/hosts
cut -d: -f2 /etc/shadow
file -i /dev/sda
ls /root/.ssh/../.ssh/id_rsa
stat /proc/1/environ
tac /etc/shadow
nl /etc/shadow
ps e
ps auxe
ps auxeww
ps eww
ps axe
ps -auxe
ps -e -u nosuch
ps -ef u
ps -ef e
ps -eo args -f
ps -C e -f -o args
ps -eH -L
ps -eo environ
ps -e -o pid,environ
ps axo environ
ps --format environ
ps -u xe
`)

const needed = rows(String.raw`
uptime
uptime -p
free -h
free -m
df -h
df -hT
df -h /var/lib/vz
df -i
df --output=source,pcent /
du -sh /var/log
du -h --max-depth=1 /var
du -xhd1 /
ls
ls -la /etc/pve
ls -lh /var/lib/vz/dump
ls -l /dev/disk/by-id
ls -lt --time-style=long-iso /var/log
ls -lhR /etc/systemd/system
stat /etc/passwd
stat -c '%y %s' /var/log/syslog
top -bn1
top -b -n 1
top -b -n 2 -o %MEM -w 200
ps aux
ps auxww
ps -ef
ps -eo pid,ppid,comm,%cpu,%mem --sort=-%cpu
ps aux --sort=-%mem
ps axo pid,rss,comm
ps -p 1 -o pid,etime,args
ps -C nginx -o pid,comm
ps -u root
ps -aux
ps axf
pgrep -a qemu
pidof pveproxy
cat /etc/os-release
cat /etc/hosts
cat /etc/passwd
cat /proc/loadavg
cat /proc/meminfo
cat /proc/mdstat
cat /proc/cpuinfo
cat /proc/1/status
cat /proc/pressure/io
cat /sys/class/thermal/thermal_zone0/temp
cat /etc/network/interfaces
cat /etc/pve/storage.cfg
cat /etc/pve/corosync.conf
cat /etc/pve/qemu-server/101.conf
cat /etc/pve/nodes/pve/lxc/104.conf
cat /etc/apt/sources.list /etc/apt/sources.list.d/pve.list
cat /root/.ssh/authorized_keys
cat /root/.ssh/id_ed25519.pub
cat /etc/pve/pve-root-ca.pem
cat '/var/log/my app.log'
head -n 20 /var/log/syslog
head -20 /var/log/syslog
tail -n 100 /var/log/pveproxy/access.log
tail -50 /var/log/syslog
tail -n +5 /etc/hosts
tail -c 2k /var/log/syslog
grep error /var/log/syslog
grep -i 'out of memory' /var/log/syslog
grep -rn 'failed' /var/log
grep -c processor /proc/cpuinfo
grep -E 'oom|killed' -A 3 -m 20 /var/log/kern.log
grep -v "^#" /etc/ssh/sshd_config
grep -e a -e b /etc/hosts
grep -rl onboot /etc/pve/qemu-server
grep -- '-x' /etc/hosts
zcat /var/log/syslog.2.gz
find /var/log -name '*.log' -mtime -1
find /var/lib/vz -type f -size +1G
find / -xdev -size +500M -ls
find /etc -newer /etc/hostname -maxdepth 1 -print
find /var/log '(' -name '*.gz' -o -name '*.1' ')' -printf '%s %p\n'
wc -l /var/log/syslog
sha256sum /var/lib/vz/template/iso/debian.iso
readlink -f /etc/pve/local
tree -L 2 /etc/network
journalctl -u pveproxy -n 100 --no-pager
journalctl -u pveproxy --since '1 hour ago'
journalctl --since yesterday --until now -p err
journalctl -p 3 -b
journalctl -b -1 -n 50
journalctl -k -n 200
journalctl -xe
journalctl --disk-usage
journalctl --list-boots
journalctl _PID=1 -n 5
journalctl --since=-1h -g oom
journalctl -t kernel -o short-iso
dmesg -T
dmesg -T -l err,warn
dmesg --level=err
systemctl
systemctl --failed
systemctl status pveproxy
systemctl status pveproxy.service --no-pager -l
systemctl is-active nginx
systemctl is-enabled ssh
systemctl is-failed nginx
systemctl is-system-running
systemctl list-units --type=service --state=running
systemctl list-timers --all
systemctl list-unit-files 'pve*'
systemctl list-dependencies pveproxy
systemctl cat pveproxy
systemctl show -p ActiveState,SubState pveproxy
systemctl show nginx --property=MemoryCurrent --value
systemd-analyze blame
systemd-cgls --no-pager
ip a
ip addr
ip addr show vmbr0
ip -br addr
ip -br link show
ip -4 addr show dev eth0
ip -s link show eno1
ip route
ip route show table all
ip route get 1.1.1.1
ip neigh
ip -6 route
ip -j addr
ip link show type bridge
ss -tulpn
ss -s
ss -tn state established
ss -tlnp '( sport = :8006 )'
ping -c 4 1.1.1.1
ping -c3 -W 2 pve2
dig example.com
dig +short example.com A @1.1.1.1
dig -x 1.1.1.1 +short
host example.com
nslookup example.com
getent hosts pve
traceroute -n 1.1.1.1
bridge link
brctl show
ethtool eno1
ethtool -i eno1
ethtool -S eno1
iptables -L -n -v
iptables -t nat -nL
nft list ruleset
lsblk
lsblk -f
lsblk -o NAME,SIZE,TYPE,MOUNTPOINT
blkid
smartctl -a /dev/sda
smartctl -H /dev/nvme0n1
smartctl -i -A /dev/sdb
smartctl -a -d sat /dev/sda
smartctl -l error /dev/sda
smartctl --scan
nvme list
nvme smart-log /dev/nvme0
sensors
sensors -j
mdadm --detail /dev/md0
pvs
vgs
lvs -a -o +devices
mount
findmnt
findmnt -t zfs
swapon --show
zpool status
zpool status -v rpool
zpool list
zpool iostat -v
zpool iostat rpool 1 3
zpool get all rpool
zfs list
zfs list -t snapshot
zfs list -o name,used,avail -s used
zfs get compressratio rpool/data
arc_summary
pveversion
pveversion -v
pvecm status
pvecm nodes
pvesm status
pvesm list local --vmid 101
pvesh get /cluster/resources --type vm
pvesh get /nodes/pve/status --output-format json
pvesh get /cluster/ha/status/current
pvesh get /nodes/pve/tasks --limit 5
pvesh get /nodes/pve/qemu/101/status/current
pvesh get /nodes/pve/qemu/101/agent/network-get-interfaces
pvesr status
qm list
qm status 101
qm config 101
qm pending 101
qm agent 101 ping
pct list
pct status 104
pct config 104
ha-manager status
ha-manager config
ceph -s
ceph status
ceph health detail
ceph df
ceph osd tree
ceph osd df tree
ceph status -f json-pretty
docker ps
docker ps -a
docker ps --format '{{.Names}} {{.Status}}'
docker logs --tail 100 nginx
docker logs --since 1h -t nginx
docker stats --no-stream
docker images
docker system df
docker network ls
nvidia-smi
nvidia-smi -L
nvidia-smi --query-gpu=name,temperature.gpu --format=csv,noheader
uname -a
uname -r
hostname
hostname -f
hostname -I
whoami
id
id www-data
groups
date
date -u
date +%s
date '+%Y-%m-%d %H:%M'
nproc
lscpu
lspci
lspci -nnk
lspci -v -s 01:00.0
lsusb
lsusb -t
lsmod
modinfo zfs
vmstat
vmstat 1 5
vmstat -s
iostat -x 1 3
iostat
w
who -b
last -20
last -n 5 reboot
apt list --upgradable
apt policy pve-manager
dpkg -l
dpkg -l 'pve-*'
dpkg -s zfsutils-linux
timedatectl
hostnamectl
chronyc tracking
loginctl list-sessions
sysctl vm.swappiness
sysctl -n net.ipv4.ip_forward
sysctl -a
crontab -l
lsof -i :8006 -n -P
which zpool
`)

describe('a hostile command is refused', () => {
  test.each(hostile)('%s', (command) => {
    expect(judgeCommand(command)).toEqual({ verdict: 'refused', reason: expect.stringMatching(/\S/) })
  })

  test.each([
    ['a newline', 'ls\nreboot'],
    ['a carriage return', 'ls\rreboot'],
    ['a tab', 'ls\treboot'],
    ['a NUL', 'ls \0'],
    ['an escape', 'ls \u001b[2J'],
    ['a newline in quotes', "ls 'a\nb'"],
    ['a zero-width space in quotes', "ls 'a\u200bb'"],
    ['a direction mark in quotes', "ls 'a\u202eb'"],
    ['a line separator', "ls 'a\u2028b'"],
    ['half a surrogate pair', "ls '\ud800'"],
    ['a no-break space', 'ls\u00a0-la'],
    ['a full-width semicolon', 'ls；reboot'],
    ['more than 4 kB', `ls ${'a'.repeat(4096)}`],
    ['more than 4 kB in bytes', `ls '${'é'.repeat(2048)}'`],
    ['nothing', ''],
    ['only spaces', '   '],
  ])('%s', (_name, command) => {
    expect(judgeCommand(command).verdict).toBe('refused')
  })

  test('the tables are long enough to mean something', () => {
    expect(new Set(hostile).size).toBeGreaterThanOrEqual(450)
    expect(new Set(needed).size).toBeGreaterThanOrEqual(200)
  })
})

describe('a command operators need is read-only', () => {
  test.each(needed)('%s', (command) => {
    const parsed = parseCommand(command)
    expect(judgeCommand(command)).toEqual({ verdict: 'read_only', argv: parsed.ok ? parsed.argv : [] })
  })
})

test.each([
  ['rm x', 'rm deletes files. Over SSH only commands proven to read may run.'],
  ['find / -exec reboot', '-exec makes find run programs.'],
  ['foo', 'foo is not a program known to read only. Over SSH only commands proven to read may run.'],
  ['dmesg -Tc', '-c makes dmesg clear the log after reading.'],
  ['ls --recursiv', 'ls: --recursiv is not an option known to read only.'],
  ['zpool destroy tank', 'zpool destroy is not known to read only.'],
  ['cat /etc/shadow', 'cat: /etc/shadow may hold secrets.'],
  ['df; reboot', '; joins commands. One plain command; quote it if it is meant as text.'],
  ['top -b', 'top must be given -n.'],
  ['date -x', 'date: -x is not an option known to read only.'],
])('the reason for %s says which part', (command, reason) => {
  expect(judgeCommand(command)).toEqual({ verdict: 'refused', reason })
})

test.each([
  ['a  b', ['a', 'b']],
  [' a ', ['a']],
  [`a'b c'"d"`, ['ab cd']],
  [`a ''`, ['a', '']],
  [String.raw`a "b\"c\\d\e"`, ['a', String.raw`b"c\d\e`]],
  [`a '$x;|"'`, ['a', '$x;|"']],
  [`a "it's"`, ['a', "it's"]],
  [`a 'ü'`, ['a', 'ü']],
])('%s is split as a shell would', (command, argv) => {
  expect(parseCommand(command)).toEqual({ ok: true, argv })
})

test('a real shell splits a quoted argv into exactly the same words', () => {
  const argv = ['printf', '%s\\0', "a'b", '$x', '`x`', ' ', 'a\nb', '*', '~', '-n', 'A=1', '', '\\', '"', '!', '#', 'é']
  const seen = execFileSync('/bin/sh', ['-c', quote(argv)], { encoding: 'utf8' })
  expect(seen.split('\0').slice(0, -1)).toEqual(argv.slice(2))
})

test('what is accepted by the parser reads the same after quoting, where no control stands in it', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (words) => {
      const argv = ['ls', ...words]
      const parsed = parseCommand(quote(argv.map((word) => word.replaceAll('\0', ''))))
      if (parsed.ok) expect(parsed.argv).toEqual(argv)
    }),
  )
})

test('any text gets a verdict, and none of them throws', () => {
  const pieces = fc.constantFrom(
    ...needed.flatMap((row) => row.split(' ')),
    ';',
    '$(',
    "'",
    '"',
    '--',
    '-',
    '\\',
    '\n',
    'é',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces).map((parts) => parts.join(' ')),
      ),
      (command) => {
        expect(['read_only', 'refused']).toContain(judgeCommand(command).verdict)
      },
    ),
    { numRuns: 2000 },
  )
})

test('a program with any extra unknown option is refused', () => {
  for (const command of needed) {
    expect(judgeCommand(`${command} --jarvis-unknown`).verdict, command).toBe('refused')
  }
})

test('a verdict is cheap even for the longest command', () => {
  const worst = ['cat /', 'grep x /pve/', 'find / -name ', 'ls '].map((start) => start.padEnd(4096, '/priv.auth.key/a'))
  const startedAt = performance.now()
  for (const command of worst) judgeCommand(command)
  expect((performance.now() - startedAt) / worst.length).toBeLessThan(20)
})
