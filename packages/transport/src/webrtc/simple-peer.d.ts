/** The prebuilt bundle of simple-peer: the same API, but it needs no Node shims in a bundler. */
declare module "simple-peer/simplepeer.min.js" {
  import SimplePeer from "simple-peer";
  export default SimplePeer;
}
