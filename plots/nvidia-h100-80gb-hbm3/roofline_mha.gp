# A roofline with its data. Draw it again: gnuplot roofline_mha.gp
if (!exists("svg")) svg = "roofline_mha.svg"
if (!exists("png")) png = "roofline_mha.png"
set encoding utf8
$points << EOD
128 2.85123e+13
73.2338 7.75044e+12
264.773 2.78565e+13
1171.74 3.30194e+13
1171.74 4.54354e+13
136.923 2.64294e+13
55.9304 1.04193e+12
894.887 1.21322e+12
59.8293 5.58893e+12
957.269 1.1859e+13
64 3.38841e+12
1024 4.73568e+12
68.4614 1.96372e+13
247.518 1.24727e+14
1095.38 2.09165e+14
1095.38 2.29392e+14
119.659 3.23797e+13
EOD
$lines << EOD
10 8.0044e+13
121.075 9.69134e+14


10 3.01396e+13
321.548 9.69134e+14


10 3.1167e+13
310.948 9.69134e+14


121.075 9.69134e+14
5000 9.69134e+14


38.3714 3.0714e+14
5000 3.0714e+14


52.2856 1.99469e+14
78.339 1.99469e+14


111.861 3.98938e+14
146.468 3.98938e+14


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [10:5000]
set yrange [5e+11:2e+15]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of mha: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 10.7216, 1.0043e+14 left rotate by 28.4 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 11.5967, 2.89428e+13 left rotate by 28.4 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 10.7216, 3.9105e+13 left rotate by 28.4 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 969 TFLOP/s' at 4709.29, 1.1128e+15 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor f16 / 3 307 TFLOP/s' at 4709.29, 3.52671e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 7-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.86 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.91 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.08 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::8-1::8-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::9-1::9-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::10-1::10-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::11-1::11-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::12-1::12-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::13-1::13-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::14-1::14-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.86 linewidth 1.0 notitle, \
  $points every ::15-1::15-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::16-1::16-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.08 linewidth 1.0 notitle, \
  $points every ::17-1::17-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cudnn', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.86 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.91 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.08 linewidth 1.6 title 'head128_4096'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
