/**
 * A small seccomp filter for node code: allows everything except system calls that no data workflow needs and kernel
 * exploits start with. Two columns of numbers, for the two CPU architectures that Miranda runs on.
 */

const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;

// Name: [x86-64, arm64]. -1 where it does not exist.
const refused = {
  // Namespaces, mounts and roots.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  // Opening files other than by path.
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // Other processes, and the kernel itself.
  ptrace: [101, 117],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  fanotify_init: [300, 262],
  lookup_dcookie: [212, 18],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  // The machine's settings.
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  syslog: [103, 116],
  vhangup: [153, 58],
  nfsservctl: [180, 42],
  iopl: [172, -1],
  ioperm: [173, -1],
  // The kernel's key rings are shared by everything of one account.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Memory that is not counted.
  shmget: [29, 194],
  semget: [64, 190],
  msgget: [68, 186],
  memfd_secret: [447, 447],
} as const;

const special = {
  clone: [56, 220],
  clone3: [435, 435],
  socket: [41, 198],
  ioctl: [16, 29],
  prctl: [157, 167],
  memfd_create: [319, 279],
} as const;
const architectures = { x64: { audit: 0xc000003e, column: 0 }, arm64: { audit: 0xc00000b7, column: 1 } } as const;

// All clone flags that create a namespace.
const newNamespaces = 0x7e020080;
const familyUnix = 1;
const familyInternet = 2;
const familyInternet6 = 10;
const familyNetlink = 16;
const setMemoryMap = 35;
const terminalInput = 0x5412;
const terminalLinux = 0x541c;
// The system calls of the x32 ABI begin here.
const x32 = 0x40000000;

const load = 0x20;
const jumpEqual = 0x15;
const jumpAtLeast = 0x35;
const jumpAnyBit = 0x45;
const answer = 0x06;
const allow = 0x7fff0000;
const refuse = (code: number): number => 0x00050000 | code;
const numberAt = 0;
const architectureAt = 4;
const argumentAt = (index: number): number => 16 + index * 8;

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number];

function when(jump: number, value: number, result: number): Instruction[] {
  return [
    [jump, 0, 1, value],
    [answer, 0, 0, result],
  ];
}

/** Checks the arguments of one system call, and allows it unless a test refuses. */
function onlyFor(number: number, tests: Instruction[]): Instruction[] {
  return [[jumpEqual, 0, tests.length + 1, number], ...tests, [answer, 0, 0, allow]];
}

function program(machine: keyof typeof architectures, hasNamelessFiles: boolean): Instruction[] {
  const { audit, column } = architectures[machine];
  const numberOf = (name: keyof typeof special): number => special[name][column];
  return [
    [load, 0, 0, architectureAt],
    [jumpEqual, 1, 0, audit],
    [answer, 0, 0, refuse(errno.EPERM)],
    [load, 0, 0, numberAt],
    ...(machine === "x64" ? when(jumpAtLeast, x32, refuse(errno.ENOSYS)) : []),
    ...Object.values(refused)
      .map((numbers) => numbers[column])
      .filter((number) => number >= 0)
      .flatMap((number) => when(jumpEqual, number, refuse(errno.EPERM))),
    // Its flags are in memory, which a filter cannot read. Programs then fall back to clone.
    ...when(jumpEqual, numberOf("clone3"), refuse(errno.ENOSYS)),
    // Memory files escape the limits. GPU drivers need them.
    ...(hasNamelessFiles ? [] : when(jumpEqual, numberOf("memfd_create"), refuse(errno.ENOSYS))),
    // It could make the server see a forged environment of any size.
    ...onlyFor(numberOf("prctl"), [[load, 0, 0, argumentAt(0)], ...when(jumpEqual, setMemoryMap, refuse(errno.EPERM))]),
    ...onlyFor(numberOf("clone"), [
      [load, 0, 0, argumentAt(0)],
      ...when(jumpAnyBit, newNamespaces, refuse(errno.EPERM)),
    ]),
    ...onlyFor(numberOf("ioctl"), [
      [load, 0, 0, argumentAt(1)],
      ...when(jumpEqual, terminalInput, refuse(errno.EPERM)),
      ...when(jumpEqual, terminalLinux, refuse(errno.EPERM)),
    ]),
    ...onlyFor(numberOf("socket"), [
      [load, 0, 0, argumentAt(0)],
      ...[familyUnix, familyInternet, familyInternet6].flatMap((family) => when(jumpEqual, family, allow)),
      // Netlink only for addresses and routes: protocol 0.
      [jumpEqual, 0, 3, familyNetlink],
      [load, 0, 0, argumentAt(2)],
      ...when(jumpEqual, 0, allow),
      [answer, 0, 0, refuse(errno.EAFNOSUPPORT)],
    ]),
    [answer, 0, 0, allow],
  ];
}

/** The filter as the kernel expects it. Undefined for an unknown architecture. */
export function systemCallFilter(hasNamelessFiles: boolean): Buffer | undefined {
  const machine = process.arch;
  if (machine !== "x64" && machine !== "arm64") return undefined;
  return Buffer.concat(
    program(machine, hasNamelessFiles).map(([code, ifTrue, ifFalse, value]) => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt16LE(code, 0);
      bytes.writeUInt8(ifTrue, 2);
      bytes.writeUInt8(ifFalse, 3);
      bytes.writeUInt32LE(value >>> 0, 4);
      return bytes;
    }),
  );
}
