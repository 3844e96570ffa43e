# A roofline with its data. Draw it again: gnuplot roofline_reduce_sum.gp
if (!exists("svg")) svg = "roofline_reduce_sum.svg"
if (!exists("png")) png = "roofline_reduce_sum.png"
set encoding utf8
$points << EOD
0.299547 1.01889e+10
0.300644 4.15843e+11
0.599095 1.1072e+10
0.601288 7.1186e+11
0.207028 2.42641e+09
0.207786 4.56461e+10
0.414055 2.90921e+09
0.415571 5.58232e+10
0.227058 1.20777e+10
0.22789 4.87517e+11
0.454117 1.24421e+10
0.455779 6.87082e+11
0.249027 1.23609e+10
0.249939 4.76543e+11
0.498054 1.38641e+10
0.499878 8.13257e+11
0.273122 1.32586e+10
0.274122 4.91101e+11
0.546243 1.36803e+10
0.548243 8.30309e+11
EOD
$lines << EOD
0.02 1.60088e+11
7.88194 6.30902e+13


0.02 6.02792e+10
20.9327 6.30902e+13


0.02 6.23341e+10
20.2426 6.30902e+13


7.88194 6.30902e+13
100 6.30902e+13


0.188764 7.76144e+11
0.32853 7.76144e+11


0.377528 1.55229e+12
0.65706 1.55229e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.02:100]
set yrange [1e+09:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of reduce_sum: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.0221118, 2.22283e+11 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.0244782, 5.61271e+10 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.0221118, 8.65512e+10 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 92.1186, 7.73237e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::6-1::6-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::7-1::7-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::8-1::8-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::9-1::9-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::10-1::10-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::11-1::11-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::12-1::12-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::13-1::13-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::14-1::14-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::15-1::15-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::16-1::16-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::17-1::17-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::18-1::18-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::19-1::19-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::20-1::20-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.06 linewidth 1.6 title 'large'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
