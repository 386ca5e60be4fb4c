import { standardLibrary } from "./standard-library.ts";

/** The packages of imports with another name: the most used ones. */
const packages: Readonly<Record<string, string>> = {
  absl: "absl-py",
  airflow: "apache-airflow",
  allel: "scikit-allel",
  apiclient: "google-api-python-client",
  attr: "attrs",
  barcode: "python-barcode",
  binance: "python-binance",
  Bio: "biopython",
  box: "python-box",
  bs4: "beautifulsoup4",
  bson: "pymongo",
  cairo: "pycairo",
  cassandra: "cassandra-driver",
  community: "python-louvain",
  consul: "python-consul",
  corsheaders: "django-cors-headers",
  crontab: "python-crontab",
  Crypto: "pycryptodome",
  Cryptodome: "pycryptodomex",
  cupy: "cupy-cuda12x",
  cv2: "opencv-python-headless",
  daemon: "python-daemon",
  dateutil: "python-dateutil",
  dbt: "dbt-core",
  decouple: "python-decouple",
  delta: "delta-spark",
  discord: "discord.py",
  dns: "dnspython",
  docx: "python-docx",
  dotenv: "python-dotenv",
  ee: "earthengine-api",
  engineio: "python-engineio",
  environ: "django-environ",
  factory: "factory-boy",
  faiss: "faiss-cpu",
  fbprophet: "prophet",
  ffmpeg: "ffmpeg-python",
  fitz: "pymupdf",
  geventwebsocket: "gevent-websocket",
  git: "gitpython",
  github: "pygithub",
  gitlab: "python-gitlab",
  gnupg: "python-gnupg",
  "google.cloud.bigquery": "google-cloud-bigquery",
  "google.cloud.storage": "google-cloud-storage",
  "google.generativeai": "google-generativeai",
  "google.protobuf": "protobuf",
  googleapiclient: "google-api-python-client",
  grpc: "grpcio",
  haiku: "dm-haiku",
  hydra: "hydra-core",
  igraph: "python-igraph",
  imblearn: "imbalanced-learn",
  jenkins: "python-jenkins",
  jose: "python-jose",
  jwt: "pyjwt",
  kafka: "kafka-python",
  keycloak: "python-keycloak",
  ldap: "python-ldap",
  libfuturize: "future",
  magic: "python-magic",
  markdown_it: "markdown-it-py",
  memcache: "python-memcached",
  mpl_toolkits: "matplotlib",
  multipart: "python-multipart",
  "mysql.connector": "mysql-connector-python",
  MySQLdb: "mysqlclient",
  nacl: "pynacl",
  nats: "nats-py",
  nmap: "python-nmap",
  OpenGL: "pyopengl",
  openslide: "openslide-python",
  OpenSSL: "pyopenssl",
  osgeo: "gdal",
  paho: "paho-mqtt",
  past: "future",
  pdfminer: "pdfminer.six",
  PIL: "pillow",
  pinecone: "pinecone-client",
  pkg_resources: "setuptools",
  pptx: "python-pptx",
  psycopg: "psycopg[binary]",
  psycopg2: "psycopg2-binary",
  pulsar: "pulsar-client",
  pylab: "matplotlib",
  pynvml: "nvidia-ml-py",
  pythonjsonlogger: "python-json-logger",
  pywt: "pywavelets",
  pyximport: "cython",
  rapidjson: "python-rapidjson",
  rest_framework: "djangorestframework",
  ruamel: "ruamel.yaml",
  "ruamel.yaml": "ruamel.yaml",
  serial: "pyserial",
  skbio: "scikit-bio",
  skfuzzy: "scikit-fuzzy",
  skimage: "scikit-image",
  sklearn: "scikit-learn",
  sklearn_extra: "scikit-learn-extra",
  skmultilearn: "scikit-multilearn",
  skopt: "scikit-optimize",
  skrf: "scikit-rf",
  sksparse: "scikit-sparse",
  skspatial: "scikit-spatial",
  sksurv: "scikit-survival",
  slugify: "python-slugify",
  snappy: "python-snappy",
  snowflake: "snowflake-connector-python",
  socketio: "python-socketio",
  sonnet: "dm-sonnet",
  speech_recognition: "speechrecognition",
  surprise: "scikit-surprise",
  systemd: "systemd-python",
  talib: "ta-lib",
  tavily: "tavily-python",
  telegram: "python-telegram-bot",
  tlz: "toolz",
  tree: "dm-tree",
  umap: "umap-learn",
  usb: "pyusb",
  vcf: "pyvcf3",
  vlc: "python-vlc",
  weaviate: "weaviate-client",
  websocket: "websocket-client",
  whisper: "openai-whisper",
  win32api: "pywin32",
  win32com: "pywin32",
  wx: "wxpython",
  Xlib: "python-xlib",
  yaml: "pyyaml",
  zmq: "pyzmq",
};

const module = /^[A-Za-z][A-Za-z0-9_]{0,60}(?:\.[A-Za-z_][A-Za-z0-9_]{0,60}){0,10}$/;

/** The package to install for an import; undefined when there is none to offer. */
export function packageFor(name: string): string | undefined {
  if (!module.test(name)) return undefined;
  const parts = name.split(".");
  for (let count = parts.length; count > 0; count--) {
    const known = packages[parts.slice(0, count).join(".")];
    if (known !== undefined) return known;
  }
  const top = parts[0] ?? "";
  const isOurs = top === "miranda" || top.startsWith("miranda_");
  // `google` is a namespace of many packages, and no package itself.
  return isOurs || top === "google" || standardLibrary.has(top) ? undefined : top.replaceAll("_", "-").toLowerCase();
}

/** The package whose absence ended this traceback. */
export function packageOfTraceback(traceback: string): string | undefined {
  const last = traceback.trimEnd().split("\n").at(-1) ?? "";
  const name = /^ModuleNotFoundError: No module named '([^']{1,200})'/.exec(last)?.[1];
  if (name === undefined) return undefined;
  // The package itself is installed: installing it again would not help.
  return name.includes(".") && packages[name] === undefined ? undefined : packageFor(name);
}

/** The package that the language server misses. */
export function packageOfDiagnostic(message: string): string | undefined {
  const name = /^Import "([^"]{1,200})" could not be resolved/.exec(message)?.[1];
  return name === undefined ? undefined : packageFor(name);
}
